"""LexiBoost's weights for the members of any ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import (
    check_array,
    check_consistent_length,
    check_random_state,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from lexiprog_boost.classifiers.fitting import (
    check_labels,
    check_options,
    find_weights,
    remember,
    with_offsets,
)
from lexiprog_boost.classifiers.lexi_mixin import LexiMixin
from lexiprog_boost.classifiers.named_members import NamedMembers
from lexiprog_boost.margins import (
    cross_fitted_margins,
    ensemble_members,
    margin_matrix,
    out_of_bag_margins,
)

Floats = NDArray[np.float64]


class LexiEnsembleClassifier(LexiMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Any ensemble's members with the weights that bring every class nearest to its optimum.

    Bagging, forests, extra trees, AdaBoost, voting, imbalanced-learn's ensembles, or a list of
    classifiers: the members stay as their ensemble trains them; `lexiboost_program` weighs them.

    Parameters
    ----------
    ensemble : ensemble or list of (name, classifier), optional
        By default a random forest of 50 trees. It is cloned and fitted, never changed.
    prefit : bool
        Take the ensemble (or the classifiers of the list) as fitted already: `fit` only weighs.
        The points given to it should then be new to the members.
    margin, class_offsets, class_costs, margin_target, weight_cap, tie_break, reduce, solver
        As for `LexiBoostClassifier`; "closest" is close to the ensemble's own or to equal weights.
    margins_from : {"auto", "train", "oob", "cross"}
        Where margins are measured; "auto" is out-of-bag for an ensemble that was fitted here and
        left points out of its members' samples, else the points given to `fit`.
    n_jobs : int, optional
        Workers of the cross-fitting, and of the training of a list.
    verbose : int
        Nothing is shown; for the same signature as `LexiBoostClassifier`.
    random_state : int, RandomState or None
        Given to the ensemble if it has such a parameter that is None.

    Attributes
    ----------
    ensemble_ : fitted ensemble
        The clone that was fitted, or `ensemble` itself if prefit.
    classes_, estimators_, estimator_weights_, n_members_, class_optima_, class_losses_, \
deviation_, chi_, program_, result_, reduction_, pool_stopped_
        As for `LexiBoostClassifier`.
    margins_from_ : str
        Where margins were measured.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from lexiprog_boost import LexiEnsembleClassifier
    >>> X, y = make_classification(400, weights=[0.9], flip_y=0.05, random_state=0)
    >>> model = LexiEnsembleClassifier(BaggingClassifier(n_estimators=20), random_state=0)
    >>> model.fit(X, y).margins_from_
    'oob'
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        prefit: bool = False,
        margin: Any = "vote",
        margins_from: str = "auto",
        class_offsets: bool = False,
        class_costs: Any = None,
        margin_target: float = 1.0,
        weight_cap: float | None = None,
        tie_break: Any = "smallest",
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
        margins = self._measure(members, X, y, weights, classes, rng)
        found = find_weights(self, margins, y, weights, own)
        name = type(self.ensemble_).__name__
        remember(self, members, found, f"the members of {name} as they are.")
        return self

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
        ensemble = RandomForestClassifier(50) if self.ensemble is None else self.ensemble
        if isinstance(ensemble, list | tuple):
            ensemble = NamedMembers(ensemble, prefit=self.prefit, n_jobs=self.n_jobs)
        elif self.prefit:
            check_is_fitted(ensemble)
            return ensemble
        copy = ensemble if self.prefit else clone(ensemble)
        if not self.prefit and copy.get_params().get("random_state", 0) is None:
            copy.set_params(random_state=int(rng.randint(np.iinfo(np.int32).max)))
        if sample_weight is not None and has_fit_parameter(copy, "sample_weight"):
            return copy.fit(X, y, sample_weight=sample_weight)
        return copy.fit(X, y)

    def _measure(
        self, members: list[Any], X: Any, y: NDArray, weights: Floats, classes: NDArray,
        rng: np.random.RandomState,
    ) -> NDArray:  # fmt: skip
        """Margins where they are asked for, or where they are honest without further training."""
        leaves_out = not self.prefit and _leaves_points_out(self.ensemble_)
        where = self.margins_from
        self.margins_from_ = ("oob" if leaves_out else "train") if where == "auto" else where
        if self.margins_from_ == "oob":
            margins = out_of_bag_margins(
                self.ensemble_, X, y, rule=self.margin, sample_weight=weights
            ).margins
        elif self.margins_from_ == "cross":
            seed = int(rng.randint(np.iinfo(np.int32).max))
            columns = Parallel(n_jobs=self.n_jobs)(
                delayed(cross_fitted_margins)([member], X, y, rule=self.margin, random_state=seed)
                for member in members
            )
            margins = np.column_stack([column.margins for column in columns])
        else:
            margins = margin_matrix(members, X, y, rule=self.margin, classes=classes)
        return with_offsets(self, margins, y, classes)

    def _learner(self) -> Any:
        ensemble = RandomForestClassifier() if self.ensemble is None else self.ensemble
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


def _leaves_points_out(ensemble: Any) -> bool:
    """Whether the members were trained on samples that left some points out."""
    sampled = hasattr(ensemble, "estimators_samples_") or hasattr(ensemble, "samplers_")
    whole = not getattr(ensemble, "bootstrap", True) and getattr(ensemble, "max_samples", None) in (
        None,
        1.0,
    )
    return sampled and not whole
