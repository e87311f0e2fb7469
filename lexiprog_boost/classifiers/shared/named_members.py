"""A list of (name, classifier) as an ensemble that can be fitted and weighed."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.classifiers.shared.fitting import rounds_shown
from lexiprog_boost.members.seeding import seeded_clone
from lexiprog_boost.members.weighted import weighted_fit


class NamedMembers(ClassifierMixin, BaseEstimator):
    """Classifiers that are trained independently of each other on the same points.

    Parameters
    ----------
    members : list of (name, classifier)
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
    >>> from lexiprog_boost.classifiers.shared.named_members import NamedMembers
    >>> NamedMembers([("bayes", GaussianNB())]).fit([[0], [1]], ["a", "b"]).classes_.tolist()
    ['a', 'b']
    """

    def __init__(
        self, members: Any, *, prefit: bool = False, n_jobs: int | None = None,
        verbose: int = 0, random_state: Any = None,
    ):  # fmt: skip
        self.members = members
        self.prefit = prefit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NamedMembers:
        """Fit a clone of each, with sample weights where it takes them."""
        learners = [learner for _, learner in check_named(self.members)]
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
            fitted = Parallel(n_jobs=self.n_jobs, return_as="generator")(
                delayed(weighted_fit)(copy, X, y, sample_weight) for copy in copies
            )
            self.estimators_ = []
            with rounds_shown(self, len(copies), "members") as shown:
                for one in fitted:
                    self.estimators_.append(one)
                    shown(len(self.estimators_), 0.0)
        self.classes_ = np.unique(np.concatenate([one.classes_ for one in self.estimators_]))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learners = [learner for _, learner in check_named(self.members)]
        tags.input_tags.sparse = all(get_tags(one).input_tags.sparse for one in learners)
        # A pipeline's own tag does not say that its first step mends missing values.
        first = [one.steps[0][1] if isinstance(one, Pipeline) else one for one in learners]
        tags.input_tags.allow_nan = all(get_tags(one).input_tags.allow_nan for one in first)
        return tags


def check_named(members: Any) -> list[tuple[str, Any]]:
    """Refuse a list that is empty or not made of (name, classifier)."""
    pairs = list(members)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise TypeError(f"a list of members holds (name, classifier) pairs, not {pair!r}.")
    if not pairs:
        raise ValueError("the list of members is empty; give at least one (name, classifier).")
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"two members have the same name: {names}.")
    return pairs
