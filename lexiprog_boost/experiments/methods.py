"""The methods of the paper's section 4, their settings, and trees that several of them share."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from itertools import product
from typing import Any, Literal

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.classifiers import (
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaMECClassifier,
    DualLexiBoostClassifier,
    DualLPAdaBoostClassifier,
    DualLPUBoostClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
    LPAdaBoostClassifier,
    LPUBoostClassifier,
)
from lexiprog_boost.learners import C45TreeClassifier, WeightedKNeighborsClassifier

# Trees that several methods grow alike are grown once, and their time counts for each.

# A fold's pool and what others grow in between; the oldest trees are forgotten.
MOST_TREES = 64


@dataclass(frozen=True)
class Spent:
    """Seconds of elapsed time and of the processor, each from a start of its own.

    Attributes
    ----------
    seconds, processor : float
        Only differences mean something.
    """

    seconds: float
    processor: float

    def since(self, start: Spent) -> Spent:
        """What was spent from `start` to here."""
        return Spent(self.seconds - start.seconds, self.processor - start.processor)


class TreeStore:
    """The trees that were asked for last, by what they were grown from."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._grown: OrderedDict[bytes, tuple[dict[str, Any], Spent]] = OrderedDict()
        self._spared = Spent(0.0, 0.0)

    def now(self) -> Spent:
        """The time, as if every tree had been grown."""
        return Spent(
            time.perf_counter() + self._spared.seconds,
            time.process_time() + self._spared.processor,
        )

    def find(self, key: bytes) -> dict[str, Any] | None:
        """A tree's attributes; its time is charged once more."""
        if key not in self._grown:
            return None
        self._grown.move_to_end(key)
        attributes, spent = self._grown[key]
        self._spared = Spent(
            self._spared.seconds + spent.seconds, self._spared.processor + spent.processor
        )
        return attributes

    def keep(self, key: bytes, attributes: dict[str, Any], spent: Spent) -> None:
        """Keep a tree, and forget the one that was asked for least lately."""
        self._grown[key] = attributes, spent
        if len(self._grown) > self._most:
            self._grown.popitem(last=False)


_TREES = TreeStore(MOST_TREES)


def now() -> Spent:
    """Return the time, as if every tree had been grown anew.

    Examples
    --------
    >>> from lexiprog_boost.experiments.methods import now
    >>> start = now()
    >>> now().since(start).seconds >= 0
    True
    """
    return _TREES.now()


class SharedTree(C45TreeClassifier):
    """The same tree, not grown again from the same points, weights and seed in this process.

    AdaBoost, LPAdaBoost, LexiBoost and every setting of LPUBoost start from the same members.

    Examples
    --------
    >>> from lexiprog_boost.experiments.methods import SharedTree
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> first, second = (SharedTree(random_state=0).fit(X, y) for _ in range(2))
    >>> first.grown_ is second.grown_
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SharedTree:
        """Grow and prune, or remember; as for `C45TreeClassifier`."""
        key = _key(self.get_params(), X, y, sample_weight)
        grown = None if key is None else _TREES.find(key)
        if grown is not None:
            for name, value in grown.items():
                setattr(self, name, value)
            return self
        start = now()
        super().fit(X, y, sample_weight)
        if key is not None:
            _TREES.keep(key, dict(vars(self)), now().since(start))
        return self


def _key(parameters: dict[str, Any], *arrays: Any) -> bytes | None:
    """What a tree is grown from, None if that does not tell two of them apart."""
    if not isinstance(parameters["random_state"], int):
        return None
    digest = blake2b(repr(sorted(parameters.items())).encode())
    for array in arrays:
        values = np.ascontiguousarray(array)
        if values.dtype.hasobject and array is not None:
            return None
        digest.update(f"{array is None} {values.dtype} {values.shape}".encode())
        if array is not None:
            digest.update(values.tobytes())
    return digest.digest()


Setting = Mapping[str, float]
Build = Callable[[Any, Setting, int], Any]

ROUNDS = 10
# One entry a member of the grid; the learners' own settings are part of every method's.
LEARNERS: dict[str, tuple[Setting, ...]] = {
    "C4.5": ({},),
    "kNN": ({"k": 3}, {"k": 5}, {"k": 10}),
}
# Methods that bring their own trees are compared with those of every learner.
OWN = "own"


@dataclass(frozen=True)
class Method:
    """A method and all the settings it is tried with.

    Attributes
    ----------
    name : str
        As in the paper's tables.
    build : callable (learner, setting, seed) -> classifier
        The learner is None for a method that brings its own.
    grid : tuple of mappings
        Its settings, those of the learner apart.
    two_class_only : bool
        Whether the paper leaves it out where there are more classes.
    many_class_only : bool
        Whether it says nothing new where there are two classes.
    role : {"paper", "baseline", "control", "sweep"}
        Ranked among the paper's methods, beside them, held against one of them, or a sweep of
        costs.
    """

    name: str
    build: Build
    grid: tuple[Setting, ...] = ({},)
    two_class_only: bool = False
    many_class_only: bool = False
    role: Literal["paper", "baseline", "control", "sweep"] = "paper"

    def settings(self, learners: tuple[Setting, ...] = ({},)) -> Iterator[Setting]:
        """Every setting of the learner with every one of the method."""
        for learner, own in product(learners, self.grid):
            yield {**learner, **own}


def make_learner(name: str, setting: Setting) -> Any:
    """Return a new base learner, None for methods that bring their own."""
    if name == OWN:
        return None
    if name == "C4.5":
        return SharedTree()
    return WeightedKNeighborsClassifier(int(setting["k"]))


def _uneven(setting: Setting) -> dict[str, Any]:
    # The optimum that the solver finds, as the published methods take it: no third stage.
    return {"nu": setting["nu"], "beta": setting["beta"], "tie_break": None}


def _baseline(name: str, **options: Any) -> Build:
    def build(_learner: Any, _setting: Setting, seed: int) -> Any:
        try:
            ensembles = import_module("imblearn.ensemble")
        except ImportError as missing:
            raise ImportError(
                f"{name} comes with imbalanced-learn, which is not installed: "
                "pip install 'lexiprog[experiments]'"
            ) from missing
        return getattr(ensembles, name)(random_state=seed, **options)

    return build


def _gradient_boosting(seed: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(class_weight="balanced", random_state=seed)


def _grid(**values: tuple[float, ...]) -> tuple[Setting, ...]:
    return tuple(dict(zip(values, row, strict=True)) for row in product(*values.values()))


NU, BETA = (0.1, 0.2), (2.0, 4.0, 8.0)
# The paper's D_LB of 25, 50 and 100, read as shares 1/25, 1/50, 1/100 of the upper bound.
LOWER_BOUNDS = (0.04, 0.02, 0.01)
# What the minority costs, majority 1, in the sweep that tests "no cost tuning".
COSTS = tuple(2.0**power for power in range(-4, 7))

METHODS = (
    Method("AdaBoost", lambda h, _, seed: AdaBoostM2Classifier(h, ROUNDS, random_state=seed)),
    Method(
        "AdaMEC-Calib",
        lambda h, _, seed: AdaMECClassifier(h, ROUNDS, random_state=seed),
        two_class_only=True,
    ),
    Method(
        "AdaBoost.NC",
        lambda h, s, seed: AdaBoostNCClassifier(h, ROUNDS, penalty=s["penalty"], random_state=seed),
        _grid(penalty=(2.0, 9.0)),
    ),
    Method(
        "LPAdaBoost",
        lambda h, _, seed: LPAdaBoostClassifier(h, ROUNDS, tie_break=None, random_state=seed),
    ),
    Method(
        "LPUBoost",
        lambda h, s, seed: LPUBoostClassifier(h, ROUNDS, random_state=seed, **_uneven(s)),
        _grid(nu=NU, beta=BETA),
        two_class_only=True,
    ),
    Method("LexiBoost", lambda h, _, seed: LexiBoostClassifier(h, ROUNDS, random_state=seed)),
    Method(
        "Dual-LPAdaBoost",
        lambda h, _, seed: DualLPAdaBoostClassifier(h, ROUNDS, tie_break=None, random_state=seed),
    ),
    Method(
        "Dual-LPUBoost",
        lambda h, s, seed: DualLPUBoostClassifier(
            h, ROUNDS, lower_bound=s["lower_bound"], random_state=seed, **_uneven(s)
        ),
        _grid(nu=NU, beta=BETA, lower_bound=LOWER_BOUNDS),
        two_class_only=True,
    ),
    Method(
        "Dual-LexiBoost",
        lambda h, _, seed: DualLexiBoostClassifier(h, ROUNDS, random_state=seed),
    ),
)

BASELINES = (
    Method(
        "RUSBoost",
        _baseline("RUSBoostClassifier", estimator=DecisionTreeClassifier(max_depth=5)),
        role="baseline",
    ),
    Method("EasyEnsemble", _baseline("EasyEnsembleClassifier"), role="baseline"),
    Method("BalancedRandomForest", _baseline("BalancedRandomForestClassifier"), role="baseline"),
    Method("HistGB balanced", lambda _h, _s, seed: _gradient_boosting(seed), role="baseline"),
    Method(
        "HistGB tuned threshold",
        lambda _h, _s, seed: TunedThresholdClassifierCV(
            _gradient_boosting(seed), scoring="balanced_accuracy", random_state=seed
        ),
        two_class_only=True,
        role="baseline",
    ),
)

# What we recommend, for a table of the user's own.
ENSEMBLE = Method(
    "LexiEnsemble",
    lambda _h, _s, seed: LexiEnsembleClassifier(random_state=seed),
    role="baseline",
)

# What of Dual-LexiBoost is its game, and what its first member's equal weight for each class?
FIRST_MEMBER = "Dual-LexiBoost's first member"
TO_CHANCE = "Dual-LexiBoost to chance"
CONTROLS = (
    Method(
        FIRST_MEMBER,
        lambda h, _, seed: DualLexiBoostClassifier(h, 1, random_state=seed),
        role="control",
    ),
    Method(
        TO_CHANCE,
        lambda h, _, seed: DualLexiBoostClassifier(
            h, ROUNDS, error_limit="chance", random_state=seed
        ),
        many_class_only=True,
        role="control",
    ),
)


def _sweep(name: str, kind: Any) -> Method:
    def build(learner: Any, setting: Setting, seed: int) -> Any:
        costs = {0: 1.0, 1: setting["cost"]}
        return kind(learner, ROUNDS, class_costs=costs, random_state=seed)

    return Method(f"{name} with costs", build, _grid(cost=COSTS), two_class_only=True, role="sweep")


SWEEPS = (
    _sweep("LexiBoost", LexiBoostClassifier),
    _sweep("Dual-LexiBoost", DualLexiBoostClassifier),
)

BY_NAME = {one.name: one for one in (*METHODS, *BASELINES, ENSEMBLE, *CONTROLS, *SWEEPS)}
