"""Whom quality.py compares: the library's default, what a user would take instead, its members."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from sklearn.base import clone
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.experiments.contenders import RIVALS

OURS = "LexiEnsemble"
ALONE = "alone: "
# A smoke run only has to walk every path.
FEW = 5


def members(seed: int) -> list[tuple[str, Any]]:
    """The default pool, seeded: ADAPT HERE when the library has one to import."""
    from sklearn.ensemble import RandomForestClassifier

    pool = [("forest", RandomForestClassifier(50)), ("logistic", LogisticRegression(max_iter=1000))]
    return [(name, _seeded(learner, seed)) for name, learner in pool]


@dataclass(frozen=True)
class Method:
    """A classifier under a name; `build` takes a seed."""

    name: str
    build: Callable[[int], Any]
    two_class_only: bool = False

    @property
    def fingerprint(self) -> str:
        """Changes with any setting, so that a store never answers for other settings."""
        model = self.build(0)
        said = model.__repr__(N_CHAR_MAX=10**6)  # scikit-learn's repr is cut short without it
        if self.name == OURS:
            said += repr([one.__repr__(N_CHAR_MAX=10**6) for _, one in members(0)])
        return f"{crc32(said.encode()):08x}"


def methods(*, quick: bool = False) -> list[Method]:
    """Every method once: a member that is also a rival is measured as the rival."""
    wholes = _wholes(quick=quick)
    known = {one.name for one in wholes}
    alone = [
        Method(name, _member(k, quick=quick))
        for k, name in enumerate(names_of_members(quick=quick))
        if name not in known
    ]
    return wholes + alone


def names_of_members(*, quick: bool = False) -> list[str]:
    """Under which method each member of the pool is found alone."""
    rivals = {repr(one.build(0)): one.name for one in _wholes(quick=quick)}
    pool = _pool(0, quick=quick)
    return [rivals.get(repr(learner), ALONE + name) for name, learner in pool]


def _wholes(*, quick: bool) -> list[Method]:
    return [
        Method(OURS, lambda seed: _ours(seed, quick=quick)),
        *(Method(one.name, _rival(one, quick=quick), one.two_class_only) for one in RIVALS),
        Method("Stacking", lambda seed: _stacking(_pool(seed, quick=quick))),
        Method("Voting", lambda seed: VotingClassifier(_pool(seed, quick=quick), voting="soft")),
    ]


def _ours(seed: int, *, quick: bool) -> Any:
    if quick:
        return LexiEnsembleClassifier(_pool(seed, quick=True), random_state=seed)
    return LexiEnsembleClassifier(random_state=seed)


def _rival(one: Any, *, quick: bool) -> Callable[[int], Any]:
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


def _shrunk(learner: Any, *, quick: bool) -> Any:
    if not quick:
        return learner
    sizes = {
        name: FEW
        for name, value in learner.get_params().items()
        # Only a booster or a forest takes long; rounds of a linear model are a limit.
        if name.split("__")[-1] == "n_estimators"
        or (name.split("__")[-1] == "max_iter" and value == 100)
    }
    return learner.set_params(**sizes)
