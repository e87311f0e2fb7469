"""The lexicographic ensemble: weights and class thresholds that serve the worst class best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import (
    check_array,
    check_consistent_length,
    check_random_state,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from lexiprog_boost.classifiers.shared.calibration import calibrate
from lexiprog_boost.classifiers.shared.default_members import default_pool
from lexiprog_boost.classifiers.shared.ensemble_margins import leaves_points_out, measure_ensemble
from lexiprog_boost.classifiers.shared.fitting import (
    check_labels,
    check_options,
    find_weights,
    remember,
)
from lexiprog_boost.classifiers.shared.lexi_mixin import LexiMixin
from lexiprog_boost.classifiers.shared.named_members import NamedMembers
from lexiprog_boost.margins import class_codes, ensemble_members
from lexiprog_boost.members.weighted import weighted_fit

Floats = NDArray[np.float64]


class LexiEnsembleClassifier(LexiMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """The members' weights and the classes' thresholds with the least loss of the worst class.

    Without arguments: four learners that err differently (`default_pool`), measured on points
    they did not see, and one constant voter a class whose weight is the class's threshold.
    `lexiboost_program` then minimises the largest mean hinge loss of a class. The same can be
    done for the members of any ensemble: bagging, forests, AdaBoost, voting, or a list.

    Parameters
    ----------
    ensemble : ensemble or list of (name, classifier), optional
        By default `default_pool()`. It is cloned and fitted, never changed.
    prefit : bool
        Take the ensemble (or the classifiers of the list) as fitted already: `fit` only weighs.
        The points given to it should then be new to the members.
    margin : {"pairs", "proba", "vote", "signed"}
        What is measured. "pairs": by how much a member's probability of the true class exceeds
        that of every other class, a row each (`pair_margins`); the others as for `margin_matrix`.
    margins_from : {"auto", "train", "oob", "cross"}
        Where margins are measured. "auto": by 5-fold cross-fitting for a list (a forest with
        ``oob_score=True`` in it is asked out of bag); out-of-bag for an ensemble that left points
        out of its members' samples; else, and if prefit, on the points given to `fit`.
    class_offsets : bool
        Add one constant member a class (F13). Each class could then be had whole, so that its
        least loss is zero and its deviation is its loss. What the offsets have in common decides
        nothing between the classes: it only makes the members' margins smaller.
    class_costs, margin_target, weight_cap, tie_break, reduce, solver
        As for `LexiBoostClassifier`; "closest" is close to the ensemble's own or to equal weights.
        ``margin="vote", class_offsets=False, margin_target=1`` is the paper's program.
    calibrate : bool
        Fit `predict_proba` to the scores of unseen points. Otherwise it returns the scores, whose
        largest is always the predicted class.
    n_jobs : int, optional
        Workers of the cross-fitting, and of the training of a list.
    verbose : int
        Above zero, bars of the members trained and cross-fitted (needs tqdm).
    random_state : int, RandomState or None
        Given to the ensemble if it has such a parameter that is None; deals the folds.

    Attributes
    ----------
    ensemble_ : fitted ensemble
        The clone that was fitted, or `ensemble` itself if prefit.
    classes_, estimators_, estimator_weights_, n_members_, class_optima_, class_losses_, \
deviation_, chi_, program_, result_, reduction_, pool_stopped_
        As for `LexiBoostClassifier`; the class offsets are the last of `estimators_`.
    margins_from_ : str
        Where margins were measured.
    calibration_ : Calibration or None
        From scores to probabilities; None if there are no scores of unseen points to fit it to.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from lexiprog_boost import LexiEnsembleClassifier
    >>> X, y = make_classification(400, weights=[0.9], flip_y=0.05, random_state=0)
    >>> model = LexiEnsembleClassifier(random_state=0).fit(X, y)
    >>> model.margins_from_, [name for name, _ in model.ensemble_.members]
    ('cross', ['linear', 'kernel', 'forest', 'boosting'])
    >>> bagging = BaggingClassifier(n_estimators=20)
    >>> LexiEnsembleClassifier(bagging, random_state=0).fit(X, y).margins_from_
    'oob'
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        prefit: bool = False,
        margin: Any = "pairs",
        margins_from: str = "auto",
        class_offsets: bool = True,
        class_costs: Any = None,
        margin_target: float = 0.3,
        weight_cap: float | None = None,
        tie_break: Any = "smallest",
        calibrate: bool = True,
        reduce: Any = "auto",
        solver: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ):
        self.ensemble = ensemble
        self.prefit = prefit
        self.margin = margin
        self.margins_from = margins_from
        self.class_offsets = class_offsets
        self.class_costs = class_costs
        self.margin_target = margin_target
        self.weight_cap = weight_cap
        self.tie_break = tie_break
        self.calibrate = calibrate
        self.reduce = reduce
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LexiEnsembleClassifier:
        """Fit the ensemble unless it is prefit, measure margins, solve for the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Points, in whatever form the ensemble takes.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the points, for an ensemble that takes them and inside their classes.

        Returns
        -------
        LexiEnsembleClassifier
            self
        """
        X, y, weights = self._check_training(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        self.ensemble_ = self._trained(X, y, sample_weight, rng)
        members = ensemble_members(self.ensemble_)
        own = getattr(self.ensemble_, "estimator_weights_", np.ones(len(members)))[: len(members)]
        classes = np.unique(np.concatenate([y, *(member.classes_ for member in members)]))
        missing = np.setdiff1d(classes, y).tolist()
        if missing:
            raise ValueError(
                f"the members know the class {missing[0]!r}, of which y has no point, so nothing "
                "can be measured for it; give points of every class."
            )
        self.margins_from_ = self._where()
        measured = measure_ensemble(
            self, members, X, y, weights, classes, sample_weight=sample_weight,
            seed=int(rng.randint(np.iinfo(np.int32).max)),
        )  # fmt: skip
        rows = measured.points
        found = find_weights(self, measured.margins, y[rows], weights[rows], own)
        listed = isinstance(self.ensemble_, NamedMembers)
        name = "the list" if listed else type(self.ensemble_).__name__
        remember(self, members, found, f"the members of {name} as they are.")
        unseen = self.prefit or self.margins_from_ != "train"
        self.calibration_ = None
        if self.calibrate and unseen and measured.outputs is not None:
            scores = np.einsum("ntc,t->nc", measured.outputs, found.alpha)
            self.calibration_ = calibrate(scores, class_codes(y, classes), weights)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return estimates of the classes' probabilities at their frequencies in training.

        `predict` and `decision_function` compare the weighted scores, whose thresholds balance the
        classes: a rare class may be predicted at a probability below 1/2, and the most probable
        class is then not the predicted one. The calibration, ``softmax(slope log(score) +
        offsets)``, is fitted to the scores of points that the members did not see. Without such
        points, with other margins than pairs and with ``calibrate=False``, the scores are returned.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        scores = self._scores(X)
        return scores if self.calibration_ is None else self.calibration_(scores)

    def _check_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray, Floats]:
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        X = self._checked(X, reset=True)
        y = column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)
        check_consistent_length(X, y)
        weights = check_labels(y, sample_weight)
        check_options(self, y, also="auto")
        return X, y, weights

    def _trained(self, X: Any, y: Any, sample_weight: Any, rng: np.random.RandomState) -> Any:
        """The ensemble with fitted members; a clone of the given one unless it is prefit."""
        ensemble = default_pool() if self.ensemble is None else self.ensemble
        if isinstance(ensemble, list | tuple):
            ensemble = NamedMembers(
                ensemble, prefit=self.prefit, n_jobs=self.n_jobs, verbose=self.verbose
            )
        elif self.prefit:
            check_is_fitted(ensemble)
            return ensemble
        copy = ensemble if self.prefit else clone(ensemble)
        if not self.prefit and copy.get_params().get("random_state", 0) is None:
            copy.set_params(random_state=int(rng.randint(np.iinfo(np.int32).max)))
        return weighted_fit(copy, X, y, sample_weight)

    def _where(self) -> str:
        """Where margins are asked for, or where they are honest at the least expense."""
        if self.margins_from != "auto":
            return self.margins_from
        if not self.prefit and isinstance(self.ensemble_, NamedMembers):
            return "cross"
        return "oob" if not self.prefit and leaves_points_out(self.ensemble_) else "train"

    def _learner(self) -> Any:
        ensemble = default_pool() if self.ensemble is None else self.ensemble
        return NamedMembers(ensemble) if isinstance(ensemble, list | tuple) else ensemble

    def _points(self, X: Any) -> Any:
        return self._checked(X, reset=False)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        if hasattr(X, "iloc"):  # a data frame stays one: its columns may be of any kind
            validate_data(self, X, skip_check_array=True, reset=reset)
            return X
        allow_nan = get_tags(self).input_tags.allow_nan
        return validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, reset=reset,
            ensure_all_finite="allow-nan" if allow_nan else True,
        )  # fmt: skip
