"""Members of an ensemble by name: given or made, fitted, reached with their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.checks.points import category_columns
from lexiprog_boost.learners import (
    BalancedForestClassifier,
    LandmarkFeatures,
    QuantileCodes,
    TableColumns,
)
from lexiprog_boost.members.fitting import seeded_clone, weighted_fit, workers_for
from lexiprog_boost.pools.pool import rounds_shown

# Names of listed members: given or made, and the parameters that are reached through them.

Named = list[tuple[str, Any]]


def named_members(members: Iterable[Any]) -> Named:
    """Pairs of (name, classifier), where a classifier without a name is called by its class.

    Refuses an empty list, two members of one name, names with two underscores in a row, which
    separate names from parameters, and whatever cannot classify.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from lexiprog_boost.classifiers.shared.listed_members import named_members
    >>> [name for name, _ in named_members([GaussianNB(), ("own", GaussianNB()), GaussianNB()])]
    ['gaussiannb-1', 'own', 'gaussiannb-2']
    """
    given = [_pair(member) for member in members]
    if not given:
        raise ValueError("the list of members is empty; give at least one (name, classifier).")
    kinds = Counter(_kind(member) for name, member in given if name is None)
    made: Counter[str] = Counter()
    pairs = []
    for name, member in given:
        if name is None:
            kind = _kind(member)
            made[kind] += 1
            name = f"{kind}-{made[kind]}" if kinds[kind] > 1 else kind
        pairs.append((name, member))
    for name, member in pairs:
        _check(name, member)
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise ValueError(f"two members have the same name, {repeated[0]!r}; names are unique.")
    return pairs


def nested_params(members: Any) -> dict[str, Any]:
    """Every member by its name, and its parameters as ``name__parameter``.

    A list that `fit` would refuse has none: asking for parameters never fails.
    """
    try:
        pairs = named_members(members)
    except (TypeError, ValueError):
        return {}
    params: dict[str, Any] = {}
    for name, member in pairs:
        params[name] = member
        if hasattr(member, "get_params"):
            params |= {f"{name}__{key}": value for key, value in member.get_params().items()}
    return params


def with_replaced(members: Any, replaced: Mapping[str, Any]) -> Named:
    """A new list in which the members of these names are others; the old one stays as it is."""
    return [(name, replaced.get(name, member)) for name, member in named_members(members)]


def _pair(member: Any) -> tuple[str | None, Any]:
    if isinstance(member, tuple):
        if len(member) == 2 and isinstance(member[0], str):
            return member
        raise TypeError(
            f"a list of members holds classifiers or (name, classifier), not {member!r}."
        )
    return None, member


def _kind(member: Any) -> str:
    return type(member).__name__.lower()


def _check(name: str, classifier: Any) -> None:
    if "__" in name:
        raise ValueError(
            f"the member's name {name!r} contains '__', which separates names from parameters."
        )
    if isinstance(classifier, type):
        raise TypeError(
            f"member {name!r} is the class {classifier.__name__}; give an instance of it."
        )
    if not (hasattr(classifier, "fit") and hasattr(classifier, "predict")):
        raise TypeError(f"member {name!r} is {classifier!r}: a classifier is needed.")
    if hasattr(classifier, "__sklearn_tags__") and is_regressor(classifier):
        raise TypeError(
            f"member {name!r} is a regressor, {type(classifier).__name__}: a classifier is needed."
        )


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
    >>> from lexiprog_boost.classifiers.shared.listed_members import NamedMembers
    >>> NamedMembers([("bayes", GaussianNB())]).fit([[0], [1]], ["a", "b"]).classes_.tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        members: Any,
        *,
        prefit: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.members = members
        self.prefit = prefit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

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
                seeded_clone(learner, rng) if self.random_state is not None else clone(learner)
                for learner in learners
            ]
            fitted = Parallel(n_jobs=workers_for(X, self.n_jobs), return_as="generator")(
                delayed(_fit_member)(name, copy, X, y, sample_weight)
                for (name, _), copy in zip(pairs, copies, strict=True)
            )
            self.estimators_ = []
            with rounds_shown(len(copies), "members", verbose=self.verbose) as shown:
                for member in fitted:
                    self.estimators_.append(member)
                    shown(len(self.estimators_), 0.0)
        named = zip((name for name, _ in pairs), self.estimators_, strict=True)
        self.named_estimators_ = Bunch(**dict(named))
        self.classes_ = np.unique(np.concatenate([member.classes_ for member in self.estimators_]))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learners = [learner for _, learner in named_members(self.members)]
        tags.input_tags.sparse = all(get_tags(learner).input_tags.sparse for learner in learners)
        # A pipeline's own tag does not say that its first step mends missing values.
        first = [
            learner.steps[0][1] if isinstance(learner, Pipeline) else learner
            for learner in learners
        ]
        tags.input_tags.allow_nan = all(get_tags(step).input_tags.allow_nan for step in first)
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
    >>> from lexiprog_boost.classifiers.shared.listed_members import trained_ensemble
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


# The members of an ensemble by their names, with their parameters.


class MemberAccess(BaseEstimator):
    """What an estimator whose ``ensemble`` may be a list tells of its members."""

    ensemble: Any
    ensemble_: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return the parameters; with `deep` also listed members by name, and theirs.

        Parameters
        ----------
        deep : bool
            Whether parameters of the ensemble, or of listed members, are included.

        Returns
        -------
        dict
        """
        params = super().get_params(deep=deep)
        listed = deep and isinstance(self.ensemble, list | tuple)
        return nested_params(self.ensemble) | params if listed else params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or those of listed members, or put others in their place.

        A list that was given stays as it is; the members whose parameters are set do not.

        Parameters
        ----------
        **params : dict
            By name: ``rf__max_depth=3`` for the member "rf", ``rf=...`` for another in its place.

        Returns
        -------
        self
        """
        if "ensemble" in params:
            super().set_params(ensemble=params.pop("ensemble"))
        if isinstance(self.ensemble, list | tuple):
            names = nested_params(self.ensemble).keys() - super().get_params(deep=False).keys()
            plain = [name for name in names & params.keys() if "__" not in name]
            replaced = {name: params.pop(name) for name in plain}
            if replaced:
                self.ensemble = with_replaced(self.ensemble, replaced)
        super().set_params(**params)
        return self

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members of a list by their names."""
        check_is_fitted(self)
        if not isinstance(self.ensemble_, NamedMembers):
            raise AttributeError(
                f"the members of {type(self.ensemble_).__name__} have no names: see estimators_."
            )
        return self.ensemble_.named_estimators_


# The members of an ensemble for which none was given: four learners that err differently.

# What the members below take: no sparse points, but missing values. Said here, because
# scikit-learn asks for it many times in a fit, and the members need not be built for that.
DEFAULT_INPUT_KINDS = (False, True)


# Leaves of a tree of gradient boosting: at least so many, one for so many points, at most so many
# (scikit-learn's default). From the fewest to the most, the learning rate doubles.
FEWEST_LEAVES, POINTS_A_LEAF, MOST_LEAVES = 8, 400, 31
SLOWEST = 0.05


def default_pool(n_points: int = 0) -> list[tuple[str, Any]]:
    """List the default members: all of them treat the classes alike, none needs tuning.

    They were chosen, with the other defaults of `LexiEnsembleClassifier`, by
    ``benchmarks/develop_ensemble.py``. Missing values are allowed, and so are categories
    in data frames: gradient boosting takes them as such, the forest by their codes, the others as
    columns.

    Parameters
    ----------
    n_points : int
        How many they will be trained on: from 3,600 to 12,400, the trees of gradient boosting grow.

    Returns
    -------
    list of (name, classifier)
        "linear" and "kernel": logistic regression on scaled columns and on their Gaussian
        similarities to 100 landmarks; "forest": trees on balanced samples, whose out-of-bag
        probabilities save their cross-fitting; "boosting": gradient boosting of small trees.

    Examples
    --------
    >>> from lexiprog_boost.classifiers.shared.listed_members import default_pool
    >>> [name for name, _ in default_pool()]
    ['linear', 'kernel', 'forest', 'boosting']
    """
    boosting = make_pipeline(TableColumns("categories"), QuantileCodes(), _boosting(n_points))
    return [
        ("linear", make_pipeline(*_scaled(), _logistic())),
        ("kernel", make_pipeline(*_scaled(), LandmarkFeatures(100), _logistic(C=10.0))),
        ("forest", make_pipeline(TableColumns("ordinal"), BalancedForestClassifier(100))),
        ("boosting", boosting),
    ]


def _scaled() -> tuple[Any, Any, Any]:
    return TableColumns(), SimpleImputer(keep_empty_features=True), StandardScaler()


def _logistic(C: float = 1.0) -> LogisticRegression:
    return LogisticRegression(C=C, class_weight="balanced", max_iter=2000)


def _boosting(n_points: int) -> HistGradientBoostingClassifier:
    leaves = min(max(FEWEST_LEAVES, n_points // POINTS_A_LEAF), MOST_LEAVES)
    return HistGradientBoostingClassifier(
        class_weight="balanced",
        learning_rate=SLOWEST * (1 + (leaves - FEWEST_LEAVES) / (MOST_LEAVES - FEWEST_LEAVES)),
        max_leaf_nodes=leaves,
        min_samples_leaf=10,
        l2_regularization=1.0,
        # It would hold out a tenth of the points, which a class of one cannot spare.
        early_stopping=False,
    )
