"""From what a user calls an ensemble, a list of (name, classifier) included, to a fitted one."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.checks.frames import category_columns
from lexiprog_boost.classifiers.shared.listed.member_names import named_members
from lexiprog_boost.members.seeding import seeded_clone
from lexiprog_boost.members.weighted import weighted_fit
from lexiprog_boost.members.workers import workers_for
from lexiprog_boost.pools.progress import rounds_shown


@estimator_class
class NamedMembers(ClassifierMixin, BaseEstimator):
    """Classifiers that are trained independently of each other on the same points.

    Parameters
    ----------
    members : list of classifiers or (name, classifier)
        Those without a name are called by their class.
    prefit : bool
        Take them as fitted already.
    n_jobs : int, optional
        Workers of the training.
    verbose : int
        Above zero, show a bar of the members.
    random_state : int, RandomState or None
        Draws one seed a member.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from lexiprog_boost.classifiers.shared.listed.named_members import NamedMembers
    >>> NamedMembers([("bayes", GaussianNB())]).fit([[0], [1]], ["a", "b"]).classes_.tolist()
    ['a', 'b']
    """

    members: Any
    _: KW_ONLY
    prefit: bool = False
    n_jobs: int | None = None
    verbose: int = 0
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NamedMembers:
        """Fit a clone of each, with sample weights where it takes them."""
        pairs = named_members(self.members)
        learners = [learner for _, learner in pairs]
        if self.prefit:
            for learner in learners:
                check_is_fitted(learner)
            self.estimators_ = learners
        else:
            rng = check_random_state(self.random_state)
            copies = [
                seeded_clone(one, rng) if self.random_state is not None else clone(one)
                for one in learners
            ]
            fitted = Parallel(n_jobs=workers_for(X, self.n_jobs), return_as="generator")(
                delayed(_fit_member)(name, copy, X, y, sample_weight)
                for (name, _), copy in zip(pairs, copies, strict=True)
            )
            self.estimators_ = []
            with rounds_shown(len(copies), "members", verbose=self.verbose) as shown:
                for one in fitted:
                    self.estimators_.append(one)
                    shown(len(self.estimators_), 0.0)
        named = zip((name for name, _ in pairs), self.estimators_, strict=True)
        self.named_estimators_ = Bunch(**dict(named))
        self.classes_ = np.unique(np.concatenate([one.classes_ for one in self.estimators_]))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learners = [learner for _, learner in named_members(self.members)]
        tags.input_tags.sparse = all(get_tags(one).input_tags.sparse for one in learners)
        # A pipeline's own tag does not say that its first step mends missing values.
        first = [one.steps[0][1] if isinstance(one, Pipeline) else one for one in learners]
        tags.input_tags.allow_nan = all(get_tags(one).input_tags.allow_nan for one in first)
        return tags


def trained_ensemble(
    ensemble: Any, X: Any, y: Any, sample_weight: Any = None, *, prefit: bool = False,
    n_jobs: int | None = None, verbose: int = 0, rng: np.random.RandomState,
) -> Any:  # fmt: skip
    """Fit a clone of an ensemble, or the members of a list, with weights where they are taken.

    Parameters
    ----------
    ensemble : ensemble or list of (name, classifier)
        Left as it is; returned if prefit, a list as `NamedMembers`.
    X, y, sample_weight
        What to fit it on.
    prefit : bool
        Take the ensemble (or the classifiers of the list) as fitted already.
    n_jobs, verbose
        For a list, as for `NamedMembers`.
    rng : RandomState
        Draws a seed for an ensemble whose `random_state` is None, and for a list.

    Returns
    -------
    fitted ensemble

    Examples
    --------
    The given ensemble is left as it is:

    >>> import numpy as np
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from lexiprog_boost.classifiers.shared.listed.named_members import trained_ensemble
    >>> bagging, rng = BaggingClassifier(n_estimators=3), np.random.RandomState(0)
    >>> fitted = trained_ensemble(bagging, [[0], [1]], ["a", "b"], rng=rng)
    >>> len(fitted.estimators_), bagging.random_state is None
    (3, True)
    """
    if isinstance(ensemble, list | tuple):
        seed = None if prefit else _seed(rng)
        named = NamedMembers(
            ensemble, prefit=prefit, n_jobs=n_jobs, verbose=verbose, random_state=seed
        )
        return named.fit(X, y, sample_weight)
    if prefit:
        check_is_fitted(ensemble)
        return ensemble
    copy = clone(ensemble)
    if copy.get_params().get("random_state", 0) is None:
        copy.set_params(random_state=_seed(rng))
    return weighted_fit(copy, X, y, sample_weight)


def _seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(np.iinfo(np.int32).max))


def _fit_member(name: str, learner: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit one member; if it fails on a data frame with categories, say that they may be why."""
    try:
        return weighted_fit(learner, X, y, sample_weight)
    except (TypeError, ValueError) as error:
        categories = category_columns(X)
        if not categories:
            raise
        raise ValueError(
            f"member {name!r}, {type(learner).__name__}, could not be trained; column "
            f"{categories[0]!r} holds categories. If it takes numbers only, put a transformer such "
            "as OneHotEncoder before it, or use the default members, which take categories. It "
            f"said: {error}"
        ) from error
