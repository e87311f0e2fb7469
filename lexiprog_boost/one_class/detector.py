"""OneClassLexiBoost: what is normal, with what its kinds lose in balance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_groups
from lexiprog_boost.checks.values import check_solver_names, reduced, solver_for
from lexiprog_boost.one_class.generation import generate
from lexiprog_boost.one_class.hypotheses import Hypotheses, grow_trees, place_bumps
from lexiprog_boost.one_class.program import check_nu, one_class_program

# Options of the detector that make no sense are refused before anything is computed.


def check_options(model: Any) -> None:
    """Refuse a detector's parameters with a sentence that says what they may be.

    Examples
    --------
    >>> from lexiprog_boost import OneClassLexiBoost
    >>> from lexiprog_boost.one_class.detector import check_options
    >>> check_options(OneClassLexiBoost("stumps"))
    Traceback (most recent call last):
    ...
    ValueError: unknown hypotheses 'stumps'; they are 'bumps' or 'trees'.
    """
    check_nu(model.nu)
    if model.hypotheses not in ("bumps", "trees"):
        raise ValueError(f"unknown hypotheses {model.hypotheses!r}; they are 'bumps' or 'trees'.")
    for name in ("n_groups", "n_hypotheses"):
        count = getattr(model, name)
        if not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"{name} is {count!r}; it is a whole number from 1 on.")
    if model.width is not None and not model.width > 0:
        raise ValueError(f"width is {model.width!r}; the bumps' width is above 0.")
    share = model.contamination
    if share != "auto" and not (isinstance(share, int | float) and 0 < share <= 0.5):
        raise ValueError(f"contamination is {share!r}; it is 'auto' or a share in (0, 0.5].")


# What the scores of a group say: the mean of its lowest ones, and the level the others reach.

# A count is whole but for this, and what is less is nothing.
ROUNDING = 1e-9


def lowest_mean(scores: Floats, nu: float) -> float:
    """Mean of the lowest share nu of sorted scores, a part of a point counting in part.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.detector import lowest_mean
    >>> lowest_mean(np.array([0.0, 1.0, 2.0, 3.0]), 0.375)
    0.3333333333333333
    """
    room = nu * len(scores)
    shares = np.clip(room - np.arange(len(scores)), 0.0, 1.0)
    return float(shares @ scores / room)


def level(scores: Floats, nu: float) -> float:
    """The score that all but a share nu of sorted scores reach.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.detector import level
    >>> level(np.array([0.0, 1.0, 2.0, 3.0]), 0.25), level(np.array([0.0, 1.0, 2.0, 3.0]), 0.2)
    (1.0, 0.0)
    """
    below = int(np.floor(nu * len(scores) + ROUNDING))
    return float(scores[min(below, len(scores) - 1)])


def threshold(levels: Floats) -> float:
    """The score from which on a point is normal: the lowest level, so that no group loses more.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.one_class.detector import threshold
    >>> round(threshold(np.array([0.5, 0.2])), 6)
    0.2
    """
    lowest = float(levels.min())
    if lowest < ROUNDING:
        warnings.warn(
            "more than a share nu of a group looks normal to no hypothesis, so that the threshold "
            "calls every point normal; more hypotheses (n_hypotheses), wider ones (width) or a "
            "larger nu would raise it.",
            lx.LexiprogWarning,
            stacklevel=3,
        )
    return lowest - ROUNDING  # a point at the level itself is normal


DECIMALS = 12


class OneClassLexiBoost(OutlierMixin, BaseEstimator):
    """Detect what is not normal by weighted hypotheses that look after every group of normal ones.

    Each hypothesis says of a point, from 0 to 1, how normal it looks; the score is their weighted
    mean. The normal points form groups, given to `fit` or found by clustering, which take the
    place of LexiBoost's classes: first the best weights for each group alone, then those for which
    the worst group loses least (`one_class_program`). With one group it is the one-class boosting
    of Rätsch et al. Use it where the normal points are of several kinds, some of them rare, and
    none is to lose more than a share of its training points. On unseen points of KEEL's sets, at
    the same share of all, groups did not spare the kind that loses most
    (benchmarks/results/one_class.md).

    Parameters
    ----------
    hypotheses : {"bumps", "trees"}
        Gaussian bumps around training points, or the trees of an isolation forest.
    nu : float
        Share of each group that may fall short of the group's level, above 0 and at most 1.
    n_groups : int
        How many groups k-means looks for where `fit` is given none. One, the default, did better
        than three on KEEL's sets (benchmarks/results/one_class.md): groups are for kinds that
        matter by themselves.
    n_hypotheses : int
        Hypotheses to choose from: bumps at most, trees in all.
    width : float, optional
        Standard deviation of the bumps, in units of the scaled features; by default that of
        `OneClassSVM`'s kernel.
    scale : bool
        Whether features are scaled to mean 0 and variance 1 first.
    contamination : float or "auto"
        Share of the training points that is to be called abnormal, at most 0.5. "auto" puts the
        threshold at the lowest of the groups' levels, so that no group loses more than a share
        `nu` of its training points.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name the stages "groups", "balance" and
        "edge".
    random_state : int, RandomState or None
        Draws the bumps' centres, the clusters' starts and the trees.

    Attributes
    ----------
    hypotheses_ : GaussianBumps or IsolationTrees
        Those that count.
    hypothesis_weights_ : ndarray of shape (n_chosen,)
        Their weights, which sum to one.
    offset_ : float
        The threshold: ``decision_function`` is ``score_samples`` less this.
    groups_ : ndarray
        Names of the groups.
    group_optima_, group_values_ : ndarray of shape (n_groups,)
        Mean score of each group's lowest share `nu`, with the best weights for the group alone and
        with those of all.
    group_levels_ : ndarray of shape (n_groups,)
        The score that all but a share `nu` of the group reach.
    deviation_ : float
        The largest difference of optima and values: what balance costs the worst group.
    gap_ : float
        By how much any optimum could be better with others of the pool: 0 but for rounding, unless
        a warning said that the rounds did not suffice.
    n_rounds_ : int
        Programs that were solved to find the hypotheses; `program_` and `result_` are the last.

    References
    ----------
    G. Rätsch, B. Schölkopf, S. Mika and K.-R. Müller, SVM and boosting: one class, GMD technical
    report 119, 2000.

    Examples
    --------
    Of two kinds of normal one is rare; neither loses more than a share `nu`:

    >>> import numpy as np
    >>> from lexiprog_boost import OneClassLexiBoost
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (95, 2)), rng.normal(8, 1, (10, 2))]
    >>> kinds = np.repeat(["common", "rare"], [95, 10])
    >>> model = OneClassLexiBoost(nu=0.1, random_state=0).fit(X, groups=kinds)
    >>> lost = model.predict(X) == -1
    >>> bool(lost[:95].mean() <= 0.1), bool(lost[95:].mean() <= 0.1)
    (True, True)
    >>> model.predict([[0, 0], [8, 8], [4, 4]]).tolist()
    [1, 1, -1]
    """

    def __init__(
        self,
        hypotheses: str = "bumps",
        *,
        nu: float = 0.1,
        n_groups: int = 1,
        n_hypotheses: int = 300,
        width: float | None = None,
        scale: bool = True,
        contamination: Any = "auto",
        solver: Any = None,
        random_state: Any = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.nu = nu
        self.n_groups = n_groups
        self.n_hypotheses = n_hypotheses
        self.width = width
        self.scale = scale
        self.contamination = contamination
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> OneClassLexiBoost:  # noqa: ARG002 - scikit-learn's signature
        """Learn what is normal.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Normal points, perhaps with a few others among them.
        y : ignored
        groups : array-like of shape (n,), optional
            The kind of each point; without it k-means finds `n_groups` of them.

        Returns
        -------
        self
        """
        X = validate_data(self, X, ensure_min_samples=2, dtype=np.float64)
        check_options(self)
        rng = check_random_state(self.random_state)
        self.scaler_ = StandardScaler().fit(X) if self.scale else None
        points = self._scaled(X)
        self.groups_, codes = self._grouped(points, groups, rng)
        pool = self._pool(points, rng)
        values = pool.values(points)
        generated = generate(values, codes, self.nu, solver=self.solver)
        if generated.gap > 1e-5:
            warnings.warn(
                f"the hypotheses found leave a gap of {generated.gap:.2g}; fewer of them "
                "(n_hypotheses) or another width make the program easier.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.gap_, self.n_rounds_ = generated.gap, generated.rounds
        self._weigh(pool, values, codes, generated.columns)
        scores = self._scores(points)
        self._read_groups(scores, codes, generated.optima)
        self.offset_ = (
            threshold(self.group_levels_)
            if self.contamination == "auto"
            else float(np.percentile(scores, 100 * self.contamination))
        )
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return how normal the points look, from 0 to 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._scores(self._scaled(X))

    def decision_function(self, X: Any) -> Floats:
        """Return ``score_samples(X) - offset_``: below zero is what `predict` calls abnormal.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return 1 for what looks normal and -1 for what does not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    def __getstate__(self) -> dict[str, Any]:
        # CVXPY's objects mean something in the process that made them only; the result stays.
        return {key: value for key, value in super().__getstate__().items() if key != "program_"}

    def _scores(self, points: Floats) -> Floats:
        # Many points lie at the level itself, which is where a vertex of the program puts them:
        # rounding must not tell them apart.
        mean = self.hypotheses_.values(points) @ self.hypothesis_weights_
        return np.asarray(np.round(mean, DECIMALS))

    def _scaled(self, X: Floats) -> Floats:
        return X if self.scaler_ is None else np.asarray(self.scaler_.transform(X))

    def _grouped(
        self, X: Floats, groups: Any, rng: np.random.RandomState
    ) -> tuple[NDArray, NDArray[np.intp]]:
        if groups is None:
            distinct = len(np.unique(X, axis=0))
            means = KMeans(min(self.n_groups, distinct), n_init=4, random_state=rng)
            groups = means.fit_predict(X)
        labels, codes = np.unique(check_groups(groups, len(X)), return_inverse=True)
        names = {"groups", "balance", "edge", *(f"group:{label}" for label in labels)}
        check_solver_names(self.solver, sorted(names))
        return labels, codes

    def _pool(self, X: Floats, rng: np.random.RandomState) -> Hypotheses:
        if self.hypotheses == "bumps":
            return place_bumps(X, self.n_hypotheses, self.width, rng)
        return grow_trees(X, self.n_hypotheses, int(rng.randint(np.iinfo(np.int32).max)))

    def _weigh(
        self, pool: Hypotheses, values: Floats, codes: NDArray[np.intp], columns: list[int]
    ) -> None:
        """Solve the program on what was found, and keep the hypotheses that count."""
        labels = self.groups_[codes] if len(self.groups_) > 1 else None
        self.program_ = one_class_program(values[:, columns], labels, nu=self.nu)
        self.result_ = self.program_.solve(solver_for(self.program_, self.solver))
        alpha = np.asarray(self.result_.final["alpha"])
        counted = np.flatnonzero(alpha > ROUNDING)
        self.hypothesis_weights_ = alpha[counted] / alpha[counted].sum()
        self.hypotheses_ = pool.only([columns[k] for k in counted])

    def _read_groups(self, scores: Floats, codes: NDArray[np.intp], optima: Floats) -> None:
        groups = [np.sort(scores[codes == g]) for g in range(len(self.groups_))]
        self.group_optima_ = optima
        self.group_values_ = np.array([lowest_mean(group, self.nu) for group in groups])
        self.group_levels_ = np.array([level(group, self.nu) for group in groups])
        self.deviation_ = float((optima - self.group_values_).max())
