"""Whom quality.py compares: the library's default, what a user would take instead, its members."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.classifiers.shared.listed_members import default_pool
from lexiprog_boost.experiments.methods import BASELINES

OURS = "LexiEnsemble"
ALONE = "alone: "
# A smoke run only has to walk every path.
FEW = 5


def members(seed: int) -> list[tuple[str, Any]]:
    """The pool that LexiEnsembleClassifier takes if it is given none, seeded."""
    return [(name, _seeded(learner, seed)) for name, learner in default_pool()]


@dataclass(frozen=True)
class Method:
    """A classifier under a name; `build` takes a seed."""

    name: str
    build: Callable[[int], Any]
    two_class_only: bool = False

    @property
    def fingerprint(self) -> str:
        """Changes with any setting, so that a store never answers for other settings."""
        said = _settings(self.build(0))
        if self.name == OURS:
            said += "".join(_settings(learner) for _, learner in members(0))
        return f"{crc32(said.encode()):08x}"


def methods(*, quick: bool = False) -> list[Method]:
    """Every method once: a member that is also a baseline is measured as the baseline."""
    wholes = _wholes(quick=quick)
    known = {one.name for one in wholes}
    alone = [
        Method(name, _member(k, quick=quick))
        for k, name in enumerate(names_of_members(quick=quick))
        if name not in known
    ]
    return wholes + alone


@cache
def names_of_members(*, quick: bool = False) -> tuple[str, ...]:
    """Under which method each member of the pool is found alone."""
    baselines = {_settings(one.build(0)): one.name for one in _wholes(quick=quick)}
    pool = _pool(0, quick=quick)
    return tuple(baselines.get(_settings(learner), ALONE + name) for name, learner in pool)


def _wholes(*, quick: bool) -> list[Method]:
    return [
        Method(OURS, lambda seed: _ours(seed, quick=quick)),
        *(Method(one.name, _baseline(one, quick=quick), one.two_class_only) for one in BASELINES),
        Method("Stacking", lambda seed: _stacking(_pool(seed, quick=quick))),
        Method("Voting", lambda seed: VotingClassifier(_pool(seed, quick=quick), voting="soft")),
    ]


def _ours(seed: int, *, quick: bool) -> Any:
    if quick:
        return LexiEnsembleClassifier(_pool(seed, quick=True), random_state=seed)
    return LexiEnsembleClassifier(random_state=seed)


def _baseline(one: Any, *, quick: bool) -> Callable[[int], Any]:
    return lambda seed: _shrunk(one.build(None, {}, seed), quick=quick)


def _member(k: int, *, quick: bool) -> Callable[[int], Any]:
    return lambda seed: _pool(seed, quick=quick)[k][1]


def _stacking(pool: list[tuple[str, Any]]) -> Any:
    final = LogisticRegression(class_weight="balanced", max_iter=1000)
    return StackingClassifier(pool, final, stack_method="predict_proba")


def _pool(seed: int, *, quick: bool) -> list[tuple[str, Any]]:
    return [(name, _shrunk(learner, quick=quick)) for name, learner in members(seed)]


def _seeded(learner: Any, seed: int) -> Any:
    names = [name for name in learner.get_params() if name.split("__")[-1] == "random_state"]
    return clone(learner).set_params(**dict.fromkeys(names, seed))


def _settings(model: Any) -> str:
    """All parameters, defaults too: a new default is another setting, and repr would cut it."""
    with config_context(print_changed_only=False):
        return str(model.__repr__(N_CHAR_MAX=10**6))


def _shrunk(learner: Any, *, quick: bool) -> Any:
    if not quick:
        return learner
    sizes = {}
    for name, value in learner.get_params().items():
        last = name.split("__")[-1]
        # 100 rounds are a booster's length; a linear model's thousands are a limit.
        if last in ("n_estimators", "thresholds") or (last == "max_iter" and value == 100):
            sizes[name] = FEW
    return learner.set_params(**sizes)
