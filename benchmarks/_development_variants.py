"""Programs that could have been the default of LexiEnsembleClassifier, tried on equal terms.

A variant gets probabilities of points that the members did not see, and says the class of new ones.
Losses are mean hinge losses of the classes below a margin target of 0.3, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

import lexiprog as lx
from lexiprog_boost import lexicographic_weights
from lexiprog_boost.classifiers.shared.calibration import calibrate, logs_of
from lexiprog_boost.margins import pair_margins
from lexiprog_boost.programs import check_inputs
from lexiprog_boost.programs.inputs import Inputs, weight_variable
from lexiprog_boost.reductions import compress_rows
from lexiprog_boost.weights import least_class_losses

Floats = NDArray[np.float64]
Predict = Callable[[Floats, NDArray, Floats], NDArray]
DEFAULT = "default: pairs, offsets, theta 0.3"
# What becomes of probabilities whose logarithms are taken.
FLOOR = 1e-3


def with_constants(outputs: Floats) -> Floats:
    """The members' probabilities and one constant voter a class."""
    n_points, _, n_classes = outputs.shape
    constants = np.broadcast_to(np.eye(n_classes), (n_points, n_classes, n_classes))
    return np.concatenate([outputs, constants], axis=1)


def weighed(
    theta: float, *, offsets: bool = True, equal: bool = False, regret: bool = False,
    pairs: bool = True, tie_break: Any = "smallest",
) -> Predict:  # fmt: skip
    """The worst class's least loss, by the library's own function."""

    def predict(outputs: Floats, codes: NDArray, new: Floats) -> NDArray:
        members = outputs.mean(axis=1, keepdims=True) if equal else outputs
        asked = new.mean(axis=1, keepdims=True) if equal else new
        both = with_constants(members) if offsets else members
        if pairs:
            found = pair_margins(both, codes)
            margins, points = found.margins, found.points
        else:
            margins = 2 * both[np.arange(len(codes)), :, codes] - 1
            points = np.arange(len(codes))
        optima = None
        if regret:
            alone = margins[:, : members.shape[1]]
            optima = least_class_losses(alone, codes[points], margin_target=theta)
        near = np.r_[np.ones(members.shape[1]), np.zeros(both.shape[1] - members.shape[1])]
        alpha = lexicographic_weights(
            margins, codes[points], margin_target=theta, tie_break=tie_break, pool_weights=near,
            class_optima=optima,
        ).alpha  # fmt: skip
        return voted(with_constants(asked) if offsets else asked, alpha)

    return predict


def voted(outputs: Floats, alpha: Floats) -> NDArray:
    return np.einsum("ntc,t->nc", outputs, alpha).argmax(axis=1)


@dataclass
class Parts:
    """What a program of one's own is made of: alpha, the classes' losses, their constraints."""

    inputs: Inputs
    n_members: int

    def __post_init__(self) -> None:
        inputs = self.inputs
        self.alpha = weight_variable(inputs)
        hinges = cp.Variable(len(inputs.codes), nonneg=True, name="losses")
        self.losses = inputs.averaging @ hinges
        self.constraints = [
            inputs.target - inputs.margins @ self.alpha <= hinges, cp.sum(self.alpha) == 1
        ]  # fmt: skip
        near = np.zeros(inputs.margins.shape[1])
        near[: self.n_members] = 1 / self.n_members
        self.distance = cp.sum_squares(self.alpha - near)
        self.mean = cp.sum(self.losses) / len(inputs.classes)
        self.worst = cp.max(self.losses)


def programmed(build: Callable[[Parts], lx.Program]) -> Predict:
    """A hierarchy of one's own, over the members and the classes' constants."""

    def predict(outputs: Floats, codes: NDArray, new: Floats) -> NDArray:
        pairs = pair_margins(with_constants(outputs), codes)
        inputs = check_inputs(pairs.margins, codes[pairs.points], margin_target=0.3)
        parts = Parts(compress_rows(inputs).inputs, outputs.shape[1])
        alpha = build(parts).solve().final["alpha"]
        return voted(with_constants(new), np.maximum(alpha, 0))

    return predict


def shrunk(objective: Callable[[Parts], Any], pull: float) -> Callable[[Parts], lx.Program]:
    """One stage: an objective and a pull towards equal members and no constants."""

    def build(parts: Parts) -> lx.Program:
        goal = cp.Minimize(objective(parts) + pull / 2 * parts.distance)
        return lx.Program(lx.Stage("weights", lx.Subproblem("weights", goal, parts.constraints)))

    return build


def mean_then(objective: Callable[[Parts], Any], tolerance: float) -> Callable[[Parts], lx.Program]:
    """Two stages: the least mean loss of the classes, held within a tolerance, then another."""

    def build(parts: Parts) -> lx.Program:
        mean = lx.Subproblem("mean", cp.Minimize(parts.mean), parts.constraints)
        held = [*parts.constraints, mean.held(rtol=tolerance)]
        then = lx.Subproblem("then", cp.Minimize(objective(parts)), held)
        return lx.Program(lx.Stage("mean", mean), lx.Stage("then", then))

    return build


def less_errors(parts: Parts) -> Any:
    """The worst loss, less one standard error of each class's, taken at equal members."""
    inputs = parts.inputs
    alpha = np.r_[np.full(parts.n_members, 1 / parts.n_members), np.zeros(len(inputs.classes))]
    hinges = np.maximum(inputs.target - inputs.margins @ alpha, 0)
    means = inputs.averaging @ hinges
    variances = inputs.averaging @ hinges**2 - means**2
    counts = np.bincount(inputs.codes) / (len(inputs.classes) - 1)
    return cp.max(parts.losses - np.sqrt(np.maximum(variances, 0) / counts))


def bargain(parts: Parts) -> Any:
    """Minus the geometric mean of 1 - loss over the classes: the Nash bargain between them.

    As a sum of logarithms it has the same optimum, but CLARABEL finds none that can be certified.
    """
    return -cp.geo_mean(1 - parts.losses)


def log_loss(pull: float, *, logits: bool, total: float) -> Predict:
    """Class-mean log loss of a softmax, weights >= 0 pulled to equal ones, offsets to zero."""

    def scale(outputs: Floats) -> Floats:
        logs = np.log(np.maximum(outputs, FLOOR)) if logits else outputs
        return logs - logs.mean(axis=-1, keepdims=True)

    def predict(outputs: Floats, codes: NDArray, new: Floats) -> NDArray:
        table, (n_points, n_members, n_classes) = scale(outputs), outputs.shape
        shares = 1 / np.bincount(codes)[codes] / n_classes
        near, truth = np.full(n_members, total / n_members), np.eye(n_classes)[codes]

        def loss(found: Floats) -> tuple[float, Floats]:
            weights, offsets = found[:n_members], found[n_members:]
            logs = log_softmax(np.einsum("ntc,t->nc", table, weights) + offsets, axis=1)
            errors = (np.exp(logs) - truth) * shares[:, None]
            value = -shares @ logs[np.arange(n_points), codes]
            value += pull / 2 * (n_members * ((weights - near) ** 2).sum() + (offsets**2).sum())
            slopes = np.einsum("nc,ntc->t", errors, table) + pull * n_members * (weights - near)
            return value, np.r_[slopes, errors.sum(axis=0) + pull * offsets]

        bounds = [(0, None)] * n_members + [(None, None)] * n_classes
        start = np.r_[near, np.zeros(n_classes)]
        best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        scores = np.einsum("ntc,t->nc", scale(new), best[:n_members])
        return (scores + best[n_members:]).argmax(axis=1)

    return predict


# Thresholds for the default's weights, from its calibrated scores.

# What a class counts of which no point is right, as a share of one point.
PART = 0.25
BOOTSTRAPS = 20


def thresholds(outputs: Floats, codes: NDArray, new: Floats) -> dict[str, NDArray]:
    """The classes of new points by the program's thresholds, and by others."""
    counts = np.bincount(codes, minlength=outputs.shape[2])
    far, smallest = -np.log(counts / counts.sum()), counts.min()
    scores, asked = weighed_scores(outputs, codes, new, np.ones(len(codes)))
    calibration = calibrate(scores, codes, np.ones(len(codes)))
    logs, new_logs = (
        calibration.slope * logs_of(one) + calibration.offsets for one in (scores, asked)
    )
    own = -calibration.offsets  # what the program's thresholds are in these units
    found = {DEFAULT: own, "by frequencies": far, "half of both": (own + far) / 2}
    for k in (15, 30, 60, 120, 240):
        share = smallest / (smallest + k)
        found[f"shrunk, k = {k}"] = share * own + (1 - share) * far
    shares = counts / (counts + 60)
    found["shrunk class by class, k = 60"] = shares * own + (1 - shares) * far
    tuned = np.mean([tuned_offsets(logs, codes, w, far) for w in resampled(codes)], axis=0)
    found["tuned for G-Mean, bagged"] = tuned
    share = smallest / (smallest + 60)
    found["the same, shrunk, k = 60"] = share * tuned + (1 - share) * far
    said = {title: (new_logs + offsets).argmax(axis=1) for title, offsets in found.items()}
    bagged = [weighed_scores(outputs, codes, new, w)[1] for w in resampled(codes)[::2]]
    said["program's, 10 bootstraps' weights averaged"] = np.mean(bagged, axis=0).argmax(axis=1)
    return said


def weighed_scores(
    outputs: Floats, codes: NDArray, new: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Scores of the points and of new ones, by the default program on weighted points."""
    both = with_constants(outputs)
    pairs = pair_margins(both, codes)
    near = np.r_[np.ones(outputs.shape[1]), np.zeros(both.shape[1] - outputs.shape[1])]
    alpha = lexicographic_weights(
        pairs.margins, codes[pairs.points], sample_weight=weights[pairs.points], margin_target=0.3,
        pool_weights=near,
    ).alpha  # fmt: skip
    return tuple(np.einsum("ntc,t->nc", one, alpha) for one in (both, with_constants(new)))


def resampled(codes: NDArray) -> list[Floats]:
    """How often each point is drawn, of each class as many as it has."""
    rng, found = np.random.RandomState(0), []
    for _ in range(BOOTSTRAPS):
        drawn = [rng.choice(mine, len(mine)) for mine in map(np.flatnonzero, classes_of(codes))]
        found.append(np.bincount(np.concatenate(drawn), minlength=len(codes)).astype(float))
    return found


def classes_of(codes: NDArray) -> list[NDArray]:
    return [codes == code for code in np.unique(codes)]


def tuned_offsets(logs: Floats, codes: NDArray, weights: Floats, start: Floats) -> Floats:
    """Offsets with a large G-Mean: one class after the other, each in its best stretch."""
    rows = weights > 0
    logs, codes, weights = logs[rows], codes[rows], weights[rows]
    n_classes, offsets, best = logs.shape[1], start - start.mean(), -np.inf
    totals = np.bincount(codes, weights, n_classes)
    for _ in range(8):
        before = best
        for code in range(n_classes):
            others = logs + offsets
            others[:, code] = -np.inf
            rival = others.argmax(axis=1)
            wins_from = others.max(axis=1) - logs[:, code]
            order = np.argsort(wins_from)
            mine, lost = codes == code, (rival == codes) & (codes != code)
            steps = np.zeros((len(order) + 1, n_classes))
            steps[0] = np.bincount(codes[lost], weights[lost], n_classes)
            change = np.where(mine, weights, np.where(lost, -weights, 0.0))[order]
            steps[1 + np.arange(len(order)), codes[order]] = change
            right = np.maximum(np.cumsum(steps, axis=0), 0) + PART
            values = np.log(right / totals).sum(axis=1)
            ends = np.r_[wins_from[order[0]] - 2, wins_from[order], wins_from[order[-1]] + 2]
            good = np.flatnonzero(values >= values.max() - 1e-12)
            place = good[np.argmax(np.diff(ends)[good])]
            if values[place] > best + 1e-12:
                offsets[code], best = (ends[place] + ends[place + 1]) / 2, values[place]
        if best <= before:
            break
    return offsets - offsets.mean()


def stacked(class_weight: str | None) -> Predict:
    """Logistic regression, as StackingClassifier does it: one column a member if two classes."""

    def predict(outputs: Floats, codes: NDArray, new: Floats) -> NDArray:
        first = 1 if outputs.shape[2] == 2 else 0
        final = LogisticRegression(max_iter=1000, class_weight=class_weight)
        final.fit(outputs[:, :, first:].reshape(len(outputs), -1), codes)
        return final.predict(new[:, :, first:].reshape(len(new), -1))

    return predict


VARIANTS: dict[str, Predict] = {
    DEFAULT: weighed(0.3),
    "theta 0.5": weighed(0.5),
    "without offsets": weighed(0.3, offsets=False),
    "worst class, shrunk 0.03": programmed(shrunk(lambda p: p.worst, 0.03)),
    "worst class less a standard error": programmed(shrunk(less_errors, 1e-6)),
    "mean of the classes": programmed(shrunk(lambda p: p.mean, 1e-6)),
    "mean of the classes, shrunk 0.1": programmed(shrunk(lambda p: p.mean, 0.1)),
    "mean held within 10 %, then the worst": programmed(mean_then(lambda p: p.worst, 0.1)),
    "mean held within 10 %, then closest": programmed(mean_then(lambda p: p.distance, 0.1)),
    "Nash bargain": programmed(shrunk(bargain, 1e-4)),
    "Nash bargain, shrunk 0.03": programmed(shrunk(bargain, 0.03)),
    "log loss, probabilities, shrunk 0.003": log_loss(0.003, logits=False, total=4.0),
    "log loss, logits, shrunk 0.1": log_loss(0.1, logits=True, total=1.0),
}
# Compared before, on two deals: none of them was clearly ahead of the default.
EARLIER: dict[str, Predict] = {
    "theta 0.1": weighed(0.1),
    "theta 0.2": weighed(0.2),
    "theta 1": weighed(1.0),
    "offsets, members equal": weighed(0.3, equal=True),
    "margins 2 f - 1": weighed(0.3, pairs=False),
    "regret against members alone": weighed(0.3, regret=True),
    "closest to equal within 0.02": weighed(0.3, tie_break=("closest", 0.02)),
    "the paper: theta 1, no offsets, 2 f - 1": weighed(1.0, offsets=False, pairs=False),
}
RIVALS: dict[str, Predict] = {
    "Voting": lambda _outputs, _codes, new: new.mean(axis=1).argmax(axis=1),
    "Stacking": stacked(None),
    "Stacking, class-weighted": stacked("balanced"),
}
