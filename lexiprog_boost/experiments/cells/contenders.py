"""The contenders of the paper's section 4, their settings, and what a user would take instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import Any, Literal

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
    LPAdaBoostClassifier,
    LPUBoostClassifier,
)
from lexiprog_boost.experiments.cells.shared_trees import SharedTree
from lexiprog_boost.learners import WeightedKNeighborsClassifier

Setting = Mapping[str, float]
Build = Callable[[Any, Setting, int], Any]

ROUNDS = 10
# One entry a member of the grid; the learners' own settings are part of every contender's.
LEARNERS: dict[str, tuple[Setting, ...]] = {
    "C4.5": ({},),
    "kNN": ({"k": 3}, {"k": 5}, {"k": 10}),
}
# Contenders that bring their own trees are compared with those of every learner.
OWN = "own"


@dataclass(frozen=True)
class Contender:
    """A method and all the settings it is tried with.

    Attributes
    ----------
    name : str
        As in the paper's tables.
    build : callable (learner, setting, seed) -> classifier
        The learner is None for a contender that brings its own.
    grid : tuple of mappings
        Its settings, those of the learner apart.
    two_class_only : bool
        Whether the paper leaves it out where there are more classes.
    many_class_only : bool
        Whether it says nothing new where there are two classes.
    role : {"paper", "rival", "control", "sweep"}
        Ranked among the paper's contenders, beside them, held against one of them, or a sweep of
        costs.
    """

    name: str
    build: Build
    grid: tuple[Setting, ...] = ({},)
    two_class_only: bool = False
    many_class_only: bool = False
    role: Literal["paper", "rival", "control", "sweep"] = "paper"

    def settings(self, learners: tuple[Setting, ...] = ({},)) -> Iterator[Setting]:
        """Every setting of the learner with every one of the contender."""
        for learner, own in product(learners, self.grid):
            yield {**learner, **own}


def make_learner(name: str, setting: Setting) -> Any:
    """Return a new base learner, None for contenders that bring their own."""
    if name == OWN:
        return None
    if name == "C4.5":
        return SharedTree()
    return WeightedKNeighborsClassifier(int(setting["k"]))


def _uneven(setting: Setting) -> dict[str, Any]:
    # The optimum that the solver finds, as the published methods take it: no third stage.
    return {"nu": setting["nu"], "beta": setting["beta"], "tie_break": None}


def _rival(name: str, **options: Any) -> Build:
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

CONTENDERS = (
    Contender("AdaBoost", lambda h, _, seed: AdaBoostM2Classifier(h, ROUNDS, random_state=seed)),
    Contender(
        "AdaMEC-Calib",
        lambda h, _, seed: AdaMECClassifier(h, ROUNDS, random_state=seed),
        two_class_only=True,
    ),
    Contender(
        "AdaBoost.NC",
        lambda h, s, seed: AdaBoostNCClassifier(h, ROUNDS, penalty=s["penalty"], random_state=seed),
        _grid(penalty=(2.0, 9.0)),
    ),
    Contender(
        "LPAdaBoost",
        lambda h, _, seed: LPAdaBoostClassifier(h, ROUNDS, tie_break=None, random_state=seed),
    ),
    Contender(
        "LPUBoost",
        lambda h, s, seed: LPUBoostClassifier(h, ROUNDS, random_state=seed, **_uneven(s)),
        _grid(nu=NU, beta=BETA),
        two_class_only=True,
    ),
    Contender("LexiBoost", lambda h, _, seed: LexiBoostClassifier(h, ROUNDS, random_state=seed)),
    Contender(
        "Dual-LPAdaBoost",
        lambda h, _, seed: DualLPAdaBoostClassifier(h, ROUNDS, tie_break=None, random_state=seed),
    ),
    Contender(
        "Dual-LPUBoost",
        lambda h, s, seed: DualLPUBoostClassifier(
            h, ROUNDS, lower_bound=s["lower_bound"], random_state=seed, **_uneven(s)
        ),
        _grid(nu=NU, beta=BETA, lower_bound=LOWER_BOUNDS),
        two_class_only=True,
    ),
    Contender(
        "Dual-LexiBoost",
        lambda h, _, seed: DualLexiBoostClassifier(h, ROUNDS, random_state=seed),
    ),
)

RIVALS = (
    Contender(
        "RUSBoost",
        _rival("RUSBoostClassifier", estimator=DecisionTreeClassifier(max_depth=5)),
        role="rival",
    ),
    Contender("EasyEnsemble", _rival("EasyEnsembleClassifier"), role="rival"),
    Contender("BalancedRandomForest", _rival("BalancedRandomForestClassifier"), role="rival"),
    Contender("HistGB balanced", lambda _h, _s, seed: _gradient_boosting(seed), role="rival"),
    Contender(
        "HistGB tuned threshold",
        lambda _h, _s, seed: TunedThresholdClassifierCV(
            _gradient_boosting(seed), scoring="balanced_accuracy", random_state=seed
        ),
        two_class_only=True,
        role="rival",
    ),
)

# What of Dual-LexiBoost is its game, and what its first member's equal weight for each class?
FIRST_MEMBER = "Dual-LexiBoost's first member"
TO_CHANCE = "Dual-LexiBoost to chance"
CONTROLS = (
    Contender(
        FIRST_MEMBER,
        lambda h, _, seed: DualLexiBoostClassifier(h, 1, random_state=seed),
        role="control",
    ),
    Contender(
        TO_CHANCE,
        lambda h, _, seed: DualLexiBoostClassifier(
            h, ROUNDS, error_limit="chance", random_state=seed
        ),
        many_class_only=True,
        role="control",
    ),
)


def _sweep(name: str, kind: Any) -> Contender:
    def build(learner: Any, setting: Setting, seed: int) -> Any:
        costs = {0: 1.0, 1: setting["cost"]}
        return kind(learner, ROUNDS, class_costs=costs, random_state=seed)

    return Contender(
        f"{name} with costs", build, _grid(cost=COSTS), two_class_only=True, role="sweep"
    )


SWEEPS = (
    _sweep("LexiBoost", LexiBoostClassifier),
    _sweep("Dual-LexiBoost", DualLexiBoostClassifier),
)

BY_NAME = {one.name: one for one in (*CONTENDERS, *RIVALS, *CONTROLS, *SWEEPS)}
