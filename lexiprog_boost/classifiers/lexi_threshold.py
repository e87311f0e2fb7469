"""Any classifier with thresholds that serve priorities for classes, in their order."""

from __future__ import annotations

import warnings
from html import escape
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

import lexiprog as lx
from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.points import is_frame, take_rows
from lexiprog_boost.checks.values import check_classes, check_confidence, check_learner
from lexiprog_boost.classifiers.shared.ensemble import (
    TrainingData,
    check_points,
    check_training_data,
)
from lexiprog_boost.classifiers.shared.reports import (
    Report,
    ReportShown,
    html_table,
    styled_block,
)
from lexiprog_boost.margins.unseen import deal_folds, held_out
from lexiprog_boost.members.ensembles import last_step
from lexiprog_boost.members.fitting import seeded_clone, workers_for
from lexiprog_boost.members.outputs import class_codes, probabilities
from lexiprog_boost.thresholds import (
    ClassPriority,
    Fitted,
    Floor,
    ScoredPoints,
    fit_rule,
    priorities_program,
    read_priorities,
)
from lexiprog_boost.thresholds.promises import ErrorLevels, cases_needed

# Probabilities below this count as this, since their logarithm is taken.
SMALLEST = 1e-6
# The part of the points that is kept from training, unless another is given, and the largest part
# if a floor needs more cases.
HOLDOUT, LARGEST_HOLDOUT = 1 / 3, 1 / 2
# So large a share of the points at one score makes a floor coarse; so near, relative to the range
# of scores, is the same score.
TIED, TIE = 0.1, 1e-12


class LexiThresholdClassifier(ReportShown, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Priorities for classes, in order, with a promise that holds on new data.

    "The recall of A at least 0.9, then that of B at least 0.8, then the worst of the rest as good
    as can be": any classifier keeps its scores and gets thresholds that serve such a list, found
    on points it has not seen. Floors are set with room for chance, so that they hold on new points
    of the same kind with the stated confidence; what the cases at hand cannot promise is said,
    with the number it would take.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` or ``decision_function``; any number of classes.
    priorities : list, optional
        In order. Floors: ``("recall", "A", 0.9)``, ``("precision", "A", 0.5)``,
        ``("false positive rate", "B", 0.05)``. Aims, which come into their own after all floors:
        ``("recall", "C")``, ``"worst recall"``, ``"balanced accuracy"``, ``("cost", {"A": 5})``
        (of a missed case; 1 for classes that are not named). ``("recall", "A", 0.9, "sex")`` is
        a floor in every group of a column, ``("worst recall", "sex")`` an aim over all of them.
        Without an aim, or after that of one class, the worst recall is the last.
    confidence : float
        With which a floor holds on new data.
    joint : bool
        Whether that is the confidence of all floors together, or of each by itself.
    cv : {"holdout", "prefit"}, float or int
        Which points the thresholds are found on. "holdout": a third that is kept from training,
        up to a half if a floor of a recall then has the cases that it takes, or the given share:
        floors are promised. "prefit": the estimator is fitted, and all points
        given to `fit` are new to it: promised too. A whole number: so many folds of
        cross-fitting, then a fit on all points: floors are estimated, since nothing guarantees
        that the last fit is like those before it.
    rule : {"cascade", "multipliers"}
        "cascade": classes with a floor claim points in the order of the priorities (those of which
        only false positives are limited come last), the others share what is left by one multiplier
        a class. Its promises are proved; the aims may raise the last class with a floor only.
        "multipliers": ``argmax(multiplier * probability)``,
        simpler to pass on; with more than two classes its floors are estimated.
    unpromised : {"warn", "refuse", "ignore"}
        What to do about floors that cannot be promised: the plain threshold is taken with a
        warning, or `fit` fails.
    n_jobs : int, optional
        Workers of the cross-fitting.
    random_state : int, RandomState or None
        Deals the holdout or the folds, and seeds the estimator where it has no seed.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    floors_ : tuple of Floor
        What became of each floor: ``wanted``, ``measured``, ``bound``, ``cases``, ``confidence``,
        ``status`` ("promised", "estimated", "not promised") and ``why``.
    aims_ : dict
        What each aim came to on the points that the thresholds were found on.
    recalls_ : dict
        The recall of each class there.
    thresholds_ : dict
        Of the classes that claim, in their order: by how much the logarithm of a class's
        probability must exceed the largest of ``log(probability / frequency)`` of the later ones.
        Without probabilities, decision values take the place of both logarithms.
    multipliers_ : dict
        Of the other classes: what nobody claims is ``argmax(multiplier * probability)``.
    rule_ : DecisionRule
        Both, as a function of scores.
    priorities_, calibration_points_ : list of ClassPriority, ScoredPoints
        What was asked for, and the scores of the points that the rule was found on.
    program_ : lexiprog.Program
        The priorities as a lexicographic program, one stage each: to be read, changed, and solved
        by any solver (a mixed-integer program with a binary variable a point). The thresholds come
        from an exact search that finds the same faster.

    Notes
    -----
    The promise is about new points drawn like those that the thresholds were found on: drift,
    duplicates, and points that belong together (visits of one patient) on both sides of a split
    void it. Precision is promised for the classes' frequencies in the data given to `fit`. A floor
    barely out of reach takes whatever it can from the rest: `report` tells each floor's price.

    A sum of recalls or costs over three classes and more is found by line searches, and not proved
    best; nor are counts of many classes whose scores tie (`report` says so). All else is exact.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from lexiprog_boost import LexiThresholdClassifier
    >>> X, y = make_classification(3000, weights=[0.8], flip_y=0.05, random_state=0)
    >>> wanted = [("recall", 1, 0.9)]
    >>> model = LexiThresholdClassifier(LogisticRegression(), wanted, random_state=0).fit(X, y)
    >>> floor = model.floors_[0]
    >>> floor.status, floor.cases, bool(floor.bound >= 0.9)
    ('promised', 211, True)
    """

    def __init__(
        self,
        estimator: Any,
        priorities: Any = None,
        *,
        confidence: float = 0.95,
        joint: bool = False,
        cv: Any = "holdout",
        rule: str = "cascade",
        unpromised: str = "warn",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.priorities = priorities
        self.confidence = confidence
        self.joint = joint
        self.cv = cv
        self.rule = rule
        self.unpromised = unpromised
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit the estimator and find the thresholds, as the class describes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of n rows
            Points, of any kind that the estimator takes.
        y : array-like of shape (n,)
            Labels of two classes or more.
        **fit_params
            For the estimator's own `fit`, such as ``sample_weight``, or ``svc__sample_weight`` for
            a step of a pipeline; what has a value a point is dealt with the points. Floors count
            cases, whatever they weigh.

        Returns
        -------
        self
        """
        self._check_options()
        if hasattr(self, "rule_"):
            del self.rule_  # a fit that fails leaves no rule behind
        if fit_params and self.cv == "prefit":
            raise ValueError(f"the estimator is fitted already; {list(fit_params)} can do nothing.")
        if _is_text(X):
            data = _text_data(X, y)
        else:
            data = check_training_data(self, X, y, None, keep_frames=True)
        classes = data.classes
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(self.estimator)  # the points at hand may lack one of its classes
            classes = np.union1d(classes, self.estimator.classes_)
        priorities = read_priorities(self.priorities, classes)
        columns = [one.column for one in priorities if one.column is not None]
        groups = {column: _column(X, column) for column in columns}
        rows, logs = self._unseen_scores(data, priorities, classes, fit_params)
        counts = np.bincount(class_codes(data.y, classes), minlength=len(classes))
        points = ScoredPoints(
            logs, class_codes(data.y[rows], classes), classes, counts / counts.sum(),
            self._offsets(counts),
            {column: _grouped(values[rows]) for column, values in groups.items()},
        )  # fmt: skip
        self.classes_ = classes
        self._found_on(points, priorities)
        return self

    def _found_on(self, points: ScoredPoints, priorities: list[ClassPriority]) -> None:
        """Find the rule on these points, keep what tells about it, and warn."""
        self.calibration_points_, self.priorities_ = points, priorities
        self._program: lx.Program | None = None
        fitted = self._fitted = self._solve(priorities)
        self.rule_ = rule = fitted.rule
        self.floors_: tuple[Floor, ...] = fitted.floors
        self.aims_ = {str(one): value for one, value, _ in fitted.aims}
        self.recalls_ = dict(
            zip(points.classes.tolist(), _recalls(points, fitted).tolist(), strict=True)
        )
        labels = points.classes.tolist()
        self.thresholds_ = {labels[c]: t for c, t in zip(rule.order, rule.thresholds, strict=True)}
        with np.errstate(over="ignore"):  # decision values may have any size
            multipliers = np.exp(rule.offsets)
        self.multipliers_ = {
            labels[c]: float(multipliers[c]) for c in range(len(labels)) if c not in rule.order
        }
        self._warn()

    def _solve(self, priorities: list[ClassPriority]) -> Fitted:
        folds = not isinstance(self.cv, str) and self.cv >= 1
        return fit_rule(
            self.calibration_points_, priorities, alpha=1 - self.confidence, joint=self.joint,
            rule=self.rule, status="estimated" if folds else "promised",  # type: ignore[arg-type]
        )  # fmt: skip

    def _warn(self) -> None:
        missed = [floor for floor in self.floors_ if not floor.is_kept]
        if missed and self.unpromised != "ignore":
            said = "; ".join(f"{floor.wanted} is not promised: {floor.why}" for floor in missed)
            if self.unpromised == "refuse":
                del self.rule_
                raise ValueError(f"{said}. unpromised='warn' takes the best threshold there is.")
            warnings.warn(said, lx.LexiprogWarning, stacklevel=4)
        points, rule = self.calibration_points_, self.rule_
        for place, code in enumerate(rule.order):
            scores = rule.claim_scores(points.logs, place)
            tied = np.isclose(scores, rule.thresholds[place], 0.0, TIE * np.ptp(points.logs))
            if tied.mean() > TIED and tied.sum() > 2:
                warnings.warn(
                    f"{tied.mean():.0%} of the points have the very score of the threshold of "
                    f"{points.classes[code]}, which claims all of them or none; an estimator with "
                    "finer scores (a forest in place of a tree) wastes less.",
                    lx.LexiprogWarning,
                    stacklevel=4,
                )

    def _check_options(self) -> None:
        check_learner(self.estimator)
        check_confidence(self.confidence)
        for name, known in (
            ("rule", ("cascade", "multipliers")), ("unpromised", ("warn", "refuse", "ignore"))
        ):  # fmt: skip
            if getattr(self, name) not in known:
                raise ValueError(f"unknown {name} {getattr(self, name)!r}; it is one of {known}.")
        text = isinstance(self.cv, str)
        share = isinstance(self.cv, float) and 0 < self.cv < 1
        folds = isinstance(self.cv, int | np.integer) and self.cv >= 2
        if not (self.cv in ("holdout", "prefit") if text else share or folds):
            raise ValueError(
                f"cv is {self.cv!r}; it is 'holdout', 'prefit', a share of the points to hold out, "
                "or a number of folds from 2 on."
            )

    # Scores of points that the estimator has not seen.

    def _unseen_scores(
        self,
        data: TrainingData,
        priorities: list[ClassPriority],
        classes: NDArray,
        params: dict[str, Any],
    ) -> tuple[NDArray[np.intp], Floats]:
        """The points that the rule is found on, and their scores; sets ``estimator_``."""
        everything = np.arange(len(data.y))
        if isinstance(self.cv, str) and self.cv == "prefit":
            self.estimator_ = self.estimator
            return everything, self._logs(self.estimator_, data.X, classes)
        rng = check_random_state(self.random_state)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        learner = clone(self.estimator)
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params)["estimator"]["fit"]
        if self.random_state is not None:
            learner = seeded_clone(self.estimator, rng)
        if isinstance(self.cv, str | float):
            kept = held_out(data.codes, self._share_kept(data, priorities), seed)
            train, rows = np.flatnonzero(~kept), np.flatnonzero(kept)
            self.estimator_ = _fitted_on(learner, data, train, params)
            return rows, self._logs(self.estimator_, take_rows(data.X, rows), classes)
        folds = deal_folds(data.codes, int(self.cv), seed)
        parts = Parallel(n_jobs=workers_for(data.X, self.n_jobs))(
            delayed(self._judged)(learner, data, folds, k, params) for k in range(folds.max() + 1)
        )
        logs = np.empty((len(data.y), len(classes)))
        for k, part in enumerate(parts):
            logs[folds == k] = part
        self.estimator_ = _fitted_on(learner, data, everything, params)
        rows = np.flatnonzero(folds >= 0)  # the only point of its class is never held out
        return rows, logs[rows]

    def _share_kept(self, data: TrainingData, priorities: list[ClassPriority]) -> float:
        """The share to hold out; it depends on the numbers of cases only."""
        if not isinstance(self.cv, str):
            return float(self.cv)
        floors = [one for one in priorities if one.is_floor]
        levels = ErrorLevels(1 - self.confidence, len(floors), joint=self.joint, apart=False)
        level = levels.next() if floors else 0.0
        counts = dict(zip(data.classes.tolist(), np.bincount(data.codes).tolist(), strict=True))
        takes = [
            cases_needed(one.limit, level) / counts[one.label]
            for one in floors
            if one.measure == "recall" and one.limit is not None
        ]
        return max([HOLDOUT, *(share for share in takes if share <= LARGEST_HOLDOUT)])

    def _judged(
        self, learner: Any, data: TrainingData, folds: Codes, k: int, params: dict[str, Any]
    ) -> Floats:
        train, test = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
        twin = _fitted_on(clone(learner), data, train, params)
        return self._logs(twin, take_rows(data.X, test), data.classes)

    def _logs(self, estimator: Any, X: Any, classes: NDArray) -> Floats:
        """Logarithms of probabilities, or decision values."""
        if hasattr(estimator, "predict_proba"):
            scores = np.log(np.maximum(probabilities(estimator, X, classes), SMALLEST))
        else:
            scores = _decision_values(estimator, X, classes)
        if not np.isfinite(scores).all():
            raise ValueError(
                f"{type(estimator).__name__} has scores that are nan or infinite, on which no "
                "threshold can be set; look at what it was trained on, or scale its columns."
            )
        return scores

    def _offsets(self, counts: NDArray) -> Floats:
        """Probabilities are compared relative to the classes' frequencies; other scores as is."""
        if hasattr(self.estimator_, "predict_proba"):
            # A class that the points at hand lack is put before no other.
            return np.asarray(-np.log(np.where(counts > 0, counts, counts.max()) / counts.sum()))
        return np.zeros(len(counts))

    # Predictions.

    def predict(self, X: Any) -> NDArray:
        """Return the class of each point by the thresholds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of m rows
            Points.

        Returns
        -------
        ndarray of shape (m,)
        """
        codes = np.argmax(self._scores(X), axis=1)
        return self.classes_[codes]

    def decision_function(self, X: Any) -> Floats:
        """Return scores whose largest is the predicted class: those of the estimator, shifted.

        They are no probabilities; ``estimator_.predict_proba`` tells those, which thresholds do
        not change.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of m rows
            Points.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            With two classes, the second one's score minus the first one's.
        """
        scores = self._scores(X)
        return scores if scores.shape[1] > 2 else scores[:, 1] - scores[:, 0]

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "rule_")
        return self.rule_.scores(self._logs(self.estimator_, self._asked(X), self.classes_))

    def _asked(self, X: Any) -> Any:
        if _is_text(X):
            return np.asarray(X, dtype=object)
        return check_points(self, X, keep_frames=True)

    # What is told.

    @property
    def program_(self) -> lx.Program:
        """The priorities as a lexicographic program; declared when it is asked for."""
        check_is_fitted(self, "rule_")
        if self._program is None:
            self._program = priorities_program(
                self.calibration_points_, self.priorities_, self._fitted
            )
        return self._program

    def report(self) -> Report:
        """Say a line a priority: wanted, measured, bound, promised or not and why, and its price.

        The price of a floor is by how much the worst recall of the classes without floors would be
        better without it (of all other classes, if every class has one).

        Returns
        -------
        str
            In a notebook it shows itself as tables.
        """
        check_is_fitted(self, "rule_")
        together = "together" if self.joint else "each"
        kept = sum(floor.is_kept for floor in self.floors_)
        title = (
            f"{type(self).__name__} of {type(self.estimator_).__name__}: {kept} of "
            f"{len(self.floors_)} floors kept, {together} with confidence {self.confidence:g}"
        )
        prices = [self._price(floor) for floor in self.floors_]
        lines = [title]
        for floor, price in zip(self.floors_, prices, strict=True):
            sign = "<=" if floor.priority.measure == "false positive rate" else ">="
            cost = "" if np.isnan(price) else f"; costs the rest {price:.3f}"
            lines.append(
                f"{floor.wanted}: {floor.measured:.3f}, with confidence {floor.confidence:.3g} "
                f"{sign} {floor.bound:.3f}; {floor.status} ({floor.why}){cost}"
            )
        for one, value, proved in self._fitted.aims:
            lines.append(f"{one}: {value:.3f}" + ("" if proved else " (not proved best)"))
        recalls = ", ".join(f"{value:.3f} ({label})" for label, value in self.recalls_.items())
        counts = np.bincount(self.calibration_points_.codes, minlength=len(self.classes_))
        lines.append(f"recalls: {recalls}; on {counts.sum()} points that the estimator did not see")
        text = Report("\n  ".join(lines))
        text.html = self._html(title, prices, counts)
        return text

    def _price(self, floor: Floor) -> float:
        """What the rest would gain without this floor; nan if none of it is there."""
        labels = [one.label for one in self.priorities_ if one.is_floor]
        rest = [c for c, label in enumerate(self.classes_.tolist()) if label not in labels]
        if not rest:
            rest = [
                c for c, label in enumerate(self.classes_.tolist()) if label != floor.priority.label
            ]
        without = [one for one in self.priorities_ if one != floor.priority]
        free = _recalls(self.calibration_points_, self._solve(without))[rest]
        with_it = _recalls(self.calibration_points_, self._fitted)[rest]
        return float(np.fmin.reduce(free) - np.fmin.reduce(with_it))

    def _html(self, title: str, prices: list[float], counts: NDArray) -> str:
        rows = [
            [escape(floor.wanted), f"{floor.measured:.3f}", f"{floor.bound:.3f}", str(floor.cases),
             escape(floor.status), f"{price:.3f}", escape(floor.why)]
            for floor, price in zip(self.floors_, prices, strict=True)
        ]  # fmt: skip
        rows += [
            [escape(str(one)), f"{value:.3f}", "", "", "as good as can be" if proved else
             "not proved best", "", ""]
            for one, value, proved in self._fitted.aims
        ]  # fmt: skip
        heads = ["priority", "measured", "bound", "cases", "", "price", "why"]
        recalls = [
            [escape(str(label)), f"{value:.3f}", str(count)]
            for (label, value), count in zip(self.recalls_.items(), counts, strict=True)
        ]
        tables = html_table(heads, rows) + html_table(["class", "recall", "cases"], recalls)
        return styled_block(title, tables, [])

    def __getstate__(self) -> dict[str, Any]:
        # CVXPY's objects mean something in the process that made them only.
        return super().__getstate__() | {"_program": None}

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what `fit` passes on to the estimator: what that requests.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        fits = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=fits)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


def _fitted_on(learner: Any, data: TrainingData, rows: NDArray, params: dict[str, Any]) -> Any:
    """The learner, fitted to some of the points, with what was given for each of them."""
    n = len(data.y)
    mine = {
        name: take_rows(value if hasattr(value, "shape") else np.asarray(value), rows)
        if np.ndim(value) and len(value) == n
        else value
        for name, value in params.items()
    }
    return learner.fit(take_rows(data.X, rows), data.y[rows], **mine)


def _decision_values(estimator: Any, X: Any, classes: NDArray) -> Floats:
    """One decision value a class; a class that the estimator does not know is the least likely."""
    name = type(estimator).__name__
    if not hasattr(estimator, "decision_function"):
        raise TypeError(
            f"{name} has neither predict_proba nor decision_function, so there are no scores to "
            "set thresholds on; wrap it in CalibratedClassifierCV."
        )
    values = np.asarray(estimator.decision_function(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values / 2, values / 2])
    codes = class_codes(estimator.classes_, classes, source=name)
    final = last_step(getattr(estimator, "best_estimator_", estimator))
    pairs = len(codes) > 2 and getattr(final, "decision_function_shape", "ovr") == "ovo"
    if pairs or values.shape[1] != len(codes):  # three classes have three pairs
        raise ValueError(
            f"{name} has {values.shape[1]} decision values for {len(codes)} classes"
            f"{', one a pair' if pairs else ''}; it takes one a class "
            "(decision_function_shape='ovr')."
        )
    aligned = np.full((len(values), len(classes)), values.min(initial=0.0) - 1.0)
    aligned[:, codes] = values
    return aligned


def _recalls(points: ScoredPoints, fitted: Fitted) -> Floats:
    """The recall of each class; nan for one without points."""
    right = fitted.rule(points.logs) == points.codes
    counts = np.bincount(points.codes, minlength=len(points.classes))
    hits = np.bincount(points.codes, right, len(points.classes))
    return np.asarray(np.divide(hits, counts, out=np.full(len(counts), np.nan), where=counts > 0))


def _is_text(X: Any) -> bool:
    """Whether points are texts, which only the estimator can check."""
    if not isinstance(X, list | tuple) and getattr(X, "ndim", 0) != 1:
        return False
    return len(X) > 0 and isinstance(X.iloc[0] if hasattr(X, "iloc") else X[0], str)


def _text_data(X: Any, y: Any) -> TrainingData:
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    data = TrainingData(np.asarray(X, dtype=object), labels, np.ones(len(labels)))
    check_classes(data.classes)
    return data


def _column(X: Any, name: Any) -> NDArray:
    """The values of a column, by its name in a data frame, else by its position."""
    if is_frame(X):
        if name in X.columns:
            return np.asarray(X[name])
        raise ValueError(f"there is no column {name!r} to group by; there are {list(X.columns)}.")
    table: Any = X if hasattr(X, "tocsr") else np.asarray(X)
    if not isinstance(name, int | np.integer) or not -table.shape[1] <= name < table.shape[1]:
        raise ValueError(
            f"the points are an array, whose columns are numbers below {table.shape[1]}, and not "
            f"{name!r}; give a data frame to group by a name."
        )
    values = table[:, [int(name)]]
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values).ravel()


def _grouped(values: NDArray) -> tuple[list[Any], Codes]:
    names, codes = np.unique(values.astype(str), return_inverse=True)
    return names.tolist(), codes
