"""Demo chapter: a rare class, by LexiBoost and by the ensemble that we recommend."""

import time
import warnings

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import lexiprog as lx
from lexiprog_boost import LexiBoostClassifier, LexiEnsembleClassifier, margin_matrix
from lexiprog_boost.metrics import geometric_mean_score

TITLE = "A rare class: LexiBoost, and what we recommend"
INTRODUCTION = (
    "The breast cancer data with one malignant case in eleven. First each class finds the least "
    "mean loss that any weights of the members give it; then the weights are chosen so that the "
    "class which is farthest from its own least loss is as near to it as can be. LexiBoost does "
    "this with AdaBoost's members, as published; LexiEnsembleClassifier, which comes last and is "
    "what we recommend, with four different learners judged on points they have not seen."
)

RARE, FOLDS, ROUNDS = 36, 5, 20
RECOMMENDED = "LexiEnsembleClassifier"
CAUTION = (
    "One data set decides nothing: G-Mean varies by {:.3f} from fold to fold; the documentation\n"
    "has many. What LexiBoost does promise is on the right of the picture: both classes end\n"
    "at the same distance from what is best for them."
)
COLOURS = {"benign": "#2b4c7e", "malignant": "#c8553d"}


def data() -> tuple[np.ndarray, np.ndarray]:
    """All benign cases and a few of the malignant ones."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    rare = rng.choice(np.flatnonzero(y == 0), RARE, replace=False)
    rows = np.r_[np.flatnonzero(y == 1), rare]
    return X[rows], np.where(y[rows] == 0, "malignant", "benign")


def models() -> dict[str, object]:
    """What one would take otherwise, LexiBoost, and last the ensemble that we recommend."""
    stump = DecisionTreeClassifier(max_depth=1)
    balanced = DecisionTreeClassifier(max_depth=1, class_weight="balanced")
    return {
        "AdaBoost": AdaBoostClassifier(stump, n_estimators=ROUNDS, random_state=0),
        "AdaBoost, balanced stumps": AdaBoostClassifier(
            balanced, n_estimators=ROUNDS, random_state=0
        ),
        "Random forest, balanced": RandomForestClassifier(
            class_weight="balanced_subsample", random_state=0
        ),
        "LexiBoost": LexiBoostClassifier(stump, ROUNDS, random_state=0),
        "LexiBoost, offsets, honest margins": LexiBoostClassifier(
            stump, ROUNDS, margins_from="cross", margin_target=0.5, class_offsets=True,
            random_state=0,
        ),
        RECOMMENDED: LexiEnsembleClassifier(random_state=0),
    }  # fmt: skip


def show() -> tuple[str, str, Figure]:
    """Compare G-Mean over the folds, and draw what the programs balance."""
    X, y = data()
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    lines = [f"{len(y)} cases, {RARE} of them malignant; {FOLDS} folds, {ROUNDS} rounds"]
    print(lines[0])
    scores = {}
    for name, model in models().items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lx.LexiprogWarning)
            scores[name] = [
                geometric_mean_score(y[test], model.fit(X[train], y[train]).predict(X[test]))
                for train, test in folds
            ]
        seconds = time.perf_counter() - start
        line = f"  {name:<35} G-Mean {np.mean(scores[name]):.3f}   ({seconds:.1f} s)"
        print(line, flush=True)
        lines.append(line)
    final = models()["LexiBoost"].fit(X, y)
    lines += ["", final.report(), "", CAUTION.format(spread(scores))]
    print("\n".join(lines[-4:]))
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_scores(left, scores)
    draw_losses(right, final, X, y)
    return verdict(scores), "\n".join(lines), figure


def verdict(scores: dict[str, list[float]]) -> str:
    """Say how far the recommended one is ahead of the best of the others, or behind it."""
    means = {name: float(np.mean(values)) for name, values in scores.items()}
    own = means.pop(RECOMMENDED)
    best = max(means, key=means.__getitem__)
    others = f"{means[best]:.3f} for the best of the others, {best}."
    return f"G-Mean {own:.3f} for {RECOMMENDED}, untuned; {others}"


def spread(scores: dict[str, list[float]]) -> float:
    """How much G-Mean varies from fold to fold."""
    return float(np.mean([np.std(values) for values in scores.values()]))


def draw_scores(axes: Axes, scores: dict[str, list[float]]) -> None:
    """Each fold a dot, the mean a bar."""
    names = list(scores)[::-1]
    axes.barh(names, [np.mean(scores[name]) for name in names], color="#d9d9d2")
    for row, name in enumerate(names):
        axes.plot(scores[name], [row] * FOLDS, "o", color="#333333", markersize=4)
    axes.set(xlabel="G-Mean on the folds left out", xlim=(0, 1.02))


def draw_losses(axes: Axes, model: LexiBoostClassifier, X: np.ndarray, y: np.ndarray) -> None:
    """Each class's loss with AdaBoost's weights and with LexiBoost's, above its least loss."""
    margins = margin_matrix(model.estimators_, X, y)
    own = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), n_estimators=ROUNDS, random_state=0
    ).fit(X, y)
    theirs = 1 - margin_matrix(own.estimators_, X, y) @ (
        own.estimator_weights_ / own.estimator_weights_.sum()
    )
    ours = 1 - margins @ model.estimator_weights_
    for k, label in enumerate(model.classes_):
        mine = y == label
        values = [model.class_optima_[k], theirs[mine].mean(), ours[mine].mean()]
        axes.plot(range(3), values, "o-", color=COLOURS[label], label=label)
    axes.set_xticks(range(3), ["least loss", "AdaBoost's\nweights", "LexiBoost's\nweights"])
    axes.set(ylabel="mean loss of the class (training)", ylim=(0, None))
    axes.legend(frameon=False)
