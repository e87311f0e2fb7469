"""AdaMEC with calibration: AdaBoost's scores turned into probabilities, then into least cost."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.points import take_rows
from lexiprog_boost.checks.values import check_class_costs
from lexiprog_boost.classifiers.adaboost_m2 import AdaBoostM2Classifier
from lexiprog_boost.classifiers.shared.ensemble import Ensemble, TrainingData
from lexiprog_boost.classifiers.shared.reports import Report, report_of

# Costs of wrong predictions as a matrix, and samples for training and calibration.


def cost_matrix(class_costs: Any, classes: NDArray, masses: Floats) -> Floats:
    """Return the cost of predicting class k for a point of class j at [j, k].

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.adamec import cost_matrix
    >>> cost_matrix("balanced", np.array(["many", "rare"]), np.array([90.0, 10.0])).tolist()
    [[0.0, 1.0], [9.0, 0.0]]
    """
    if not isinstance(class_costs, str) and np.ndim(class_costs) == 2:
        return _checked_matrix(class_costs, classes)
    costs = check_class_costs(class_costs, classes, masses)
    return costs[:, None] * (1 - np.eye(len(classes)))


def two_samples(
    codes: Codes, size: Any, second: str, rng: np.random.RandomState
) -> tuple[Codes, Codes]:
    """Return the rows of two samples: a share of each class, then another or what is left.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.adamec import two_samples
    >>> codes = np.array([0] * 10 + [1] * 5)
    >>> first, second = two_samples(codes, 0.8, "rest", np.random.RandomState(0))
    >>> len(first), len(second), len(np.intersect1d(first, second))
    (12, 3, 0)
    """
    if second not in ("sample", "rest"):
        raise ValueError(f"unknown calibrate_on {second!r}; it is 'sample' or 'rest'.")
    if not isinstance(size, int | float | np.number) or not 0 < size < 1:
        raise ValueError(f"sample_size is {size!r}; it must lie above 0 and below 1.")
    first_rows, second_rows = [], []
    for j in range(codes.max() + 1):
        mine = np.flatnonzero(codes == j)
        count = max(1, round(size * len(mine)))
        if second == "rest":
            count = min(count, max(1, len(mine) - 1))
        order = rng.permutation(mine)
        first_rows.append(order[:count])
        if second == "sample":
            second_rows.append(rng.permutation(mine)[:count])
        else:
            # The only point of a class serves twice: both steps have to know the class.
            second_rows.append(order[count:] if len(mine) > 1 else order)
    return np.sort(np.concatenate(first_rows)), np.sort(np.concatenate(second_rows))


def _checked_matrix(costs: Any, classes: NDArray) -> Floats:
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (len(classes), len(classes)):
        raise ValueError(
            f"class_costs has shape {matrix.shape}; as a matrix it has one row and one column for "
            f"each of {classes.tolist()}."
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise ValueError("class_costs has an entry below 0 or not finite; costs are at least 0.")
    return matrix


class AdaMECClassifier(Ensemble):
    """AdaBoost with calibrated scores and the decision of minimum expected cost.

    The weighted vote is mapped to probabilities p by Platt's sigmoid, fitted on a sample of the
    training points, and the prediction is the class k with the least expected cost ::

        sum_j p_j cost_jk

    With two classes this is the second one if its probability exceeds
    cost_FP / (cost_FP + cost_FN). Use it where costs are known: the members are trained without
    them, so a change of costs needs no new training, and the probabilities are honest. Sample
    weights are the initial weights of the points, in boosting and in calibration.

    It is no vote: every stage of the training would need a calibration of its own, so the staged
    predictions are those of `booster_`, the vote before calibration.

    Parameters
    ----------
    estimator : classifier, optional
        The learner of AdaBoost.M2 with hard votes; by default a tree of depth three.
    n_estimators : int
        Rounds at most.
    class_costs : "balanced", mapping, sequence or array of shape (n_classes, n_classes)
        The cost of missing a point of each class, by label or in the order of the sorted labels;
        "balanced" is inversely proportional to the class's weight, 1 for the largest class and so
        the imbalance ratio for the other of two. A matrix has the cost of predicting class k for
        a point of class j at [j, k].
    sample_size : float
        Share of the points of each class to train on, below 1.
    calibrate_on : {"sample", "rest"}
        Calibrate on another random sample of the same size, as the LexiBoost paper does, or on
        the points that were not trained on, which is more honest but leaves fewer points.
    verbose : int
        Show a bar of the rounds if not 0 (needs tqdm).
    random_state : int, RandomState or None
        Draws the samples, and one seed a member.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    booster_ : AdaBoostM2Classifier
        The ensemble before calibration, with the members, their weights and staged predictions.
    calibrated_ : CalibratedClassifierCV
        The ensemble with probabilities.
    cost_matrix_ : ndarray of shape (n_classes, n_classes)
        The costs in use; they may be changed after `fit`.
    n_members_ : int
        How many members carry weight.
    stopped_ : str
        A sentence that says why training ended.

    References
    ----------
    N. Nikolaou, N. Edakunni, M. Kull, P. Flach and G. Brown, Cost-sensitive boosting algorithms:
    do we really need them?, Machine Learning 104, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from lexiprog_boost import AdaMECClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaMECClassifier(class_costs={0: 10, 1: 1}, random_state=0).fit(X, y)
    >>> bool(model.score(X[y == 0], y[y == 0]) > 0.98)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        class_costs: Any = "balanced",
        sample_size: float = 0.8,
        calibrate_on: Literal["sample", "rest"] = "sample",
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.class_costs = class_costs
        self.sample_size = sample_size
        self.calibrate_on = calibrate_on
        self.verbose = verbose
        self.random_state = random_state

    def _train(self, data: TrainingData) -> None:
        rng = check_random_state(self.random_state)
        masses = np.bincount(data.codes, data.weights).astype(np.float64)
        self.classes_ = data.classes
        self.cost_matrix_ = cost_matrix(self.class_costs, data.classes, masses)
        seen = np.flatnonzero(data.weights)
        train, rest = two_samples(data.codes[seen], self.sample_size, self.calibrate_on, rng)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        self.booster_ = AdaBoostM2Classifier(
            self.estimator, self.n_estimators, verbose=self.verbose, random_state=seed
        ).fit(*_part(data, seen[train]))
        if getattr(getattr(data.X, "dtype", None), "kind", "") == "O":
            # What is no number is refused in rows, too, that no sample has drawn.
            self.booster_.predict(take_rows(data.X, seen))
        self.calibrated_ = _calibrated(self.booster_, *_part(data, seen[rest]))
        self.n_members_, self.stopped_ = self.booster_.n_members_, self.booster_.stopped_

    def predict_proba(self, X: Any) -> Floats:
        """Return the calibrated probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        points = self._checked_points(X)
        return self.calibrated_.predict_proba(points)

    def predict(self, X: Any) -> NDArray:
        """Return the class of least expected cost; it need not be the most probable one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,)
        """
        expected = self.predict_proba(X) @ self.cost_matrix_
        return self.classes_[np.argmin(expected, axis=1)]

    def decision_function(self, X: Any) -> Floats:
        """Return minus the expected cost of each class; with two, what the second one saves.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
        """
        expected = self.predict_proba(X) @ self.cost_matrix_
        return expected[:, 0] - expected[:, 1] if expected.shape[1] == 2 else -expected

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the columns, by the booster's members that have them; they sum to one."""
        check_is_fitted(self)
        return self.booster_.feature_importances_

    def report(self) -> Report:
        """Say in a few lines what was learnt: the vote before calibration, and the costs in use.

        Returns
        -------
        str
            In a notebook it shows itself as tables.
        """
        check_is_fitted(self)
        rows = zip(self.classes_, self.cost_matrix_.tolist(), strict=True)
        costs = "; ".join(f"{label}: {max(row):.4g}" for label, row in rows)
        notes = [f"largest cost of a miss: {costs}"]
        return report_of(self.booster_, name=type(self).__name__, notes=notes)


def _part(data: TrainingData, rows: NDArray[np.intp]) -> tuple[Any, NDArray, Floats]:
    return take_rows(data.X, rows), data.y[rows], data.weights[rows]


def _calibrated(booster: Any, X: Any, y: NDArray, weights: Floats) -> CalibratedClassifierCV:
    everyone = np.arange(len(y))
    # The one fold is everything: nothing is trained here, and a class may have one point only.
    sigmoid = CalibratedClassifierCV(
        FrozenEstimator(booster), method="sigmoid", cv=[(everyone, everyone)], ensemble=False
    )
    with warnings.catch_warnings():
        # A frozen ensemble takes no sample_weight, and needs none: it is fitted already.
        warnings.filterwarnings("ignore", ".*does not appear to accept sample_weight.*")
        return sigmoid.fit(X, y, sample_weight=weights)
