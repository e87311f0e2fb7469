"""What a placeholder, a plain CVXPY parameter, stands for: its owner is on record here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint, Owner
from lexiprog.declare.leaves import dense, holding
from lexiprog.declare.lock import Lock
from lexiprog.declare.memory import Registry
from lexiprog.errors import DeclarationError

if TYPE_CHECKING:
    from lexiprog.result.solution import Solution


class ReferenceKind(StrEnum):
    """What may be referred to."""

    OPTIMUM = "optimum"
    AT = "at"
    DUAL = "dual"
    HELD = "held"


# Those that are an optimal value, or follow from it alone.
VALUES = (ReferenceKind.OPTIMUM, ReferenceKind.HELD)


@dataclass(frozen=True)
class Reference:
    """One number or array that a later problem takes from an earlier one's solution."""

    kind: ReferenceKind
    what: str  # as the user would write it
    owner_name: str
    owner: Owner  # weak: a dead owner is outside of every program
    read: Callable[[Solution], Any]
    lock: Lock | None = None  # for limits of held optima, whose slack may vary
    inside: tuple[cp.Parameter, ...] = ()  # parameters and placeholders the value itself depends on
    expression: cp.Expression | None = None  # whose value it is, for ``at``

    position: int | None = None  # of the constraint whose multiplier it is, for ``dual``

    @property
    def label(self) -> str:
        """What is referred to and whose it is, for people to read."""
        return f"{self.owner_name}.{self.what}"


REFERENCES: Registry[Reference] = Registry()


def limit_of(constraint: Constraint, lock: Lock) -> cp.Parameter:
    """The placeholder of the bound in a constraint that holds an optimum."""
    for parameter in constraint.parameters():
        reference = REFERENCES.get(parameter)
        if reference is not None and reference.lock is lock:
            return parameter
    raise KeyError(f"{constraint} does not hold {lock.owner_name!r}")


def inputs_of(parameters: Iterable[cp.Parameter]) -> list[cp.Parameter]:
    """The parameters and all that their values depend on, inner ones first, each once."""
    found: dict[int, cp.Parameter] = {}
    for parameter in parameters:
        reference = REFERENCES.get(parameter)
        for inner in [] if reference is None else inputs_of(reference.inside):
            found.setdefault(inner.id, inner)
        found.setdefault(parameter.id, parameter)
    return list(found.values())


def check_callbacks(where: str, parameters: Iterable[cp.Parameter]) -> None:
    """Refuse parameters that read placeholders behind our back: nobody would know of the owner.

    What a callback reads cannot be seen, but it answers differently when the placeholders have
    other values.
    """
    for parameter in parameters:
        if not isinstance(parameter, cp.CallbackParam):
            continue
        answers = [_answer(parameter), _answer(parameter)]
        if answers[0] != answers[1]:
            continue  # it has a will of its own
        placeholders = REFERENCES.alive()
        # Several sizes and signs, and a value of its own for each, lest they cancel out.
        for size in (1.0, 1e6, -1.0):
            sizes = size * np.sqrt(np.arange(2.0, 2.0 + len(placeholders)))
            probes = ((p, np.full(p.shape, s)) for p, s in zip(placeholders, sizes, strict=True))
            with holding(probes):
                answers.append(_answer(parameter))
        if len(set(answers)) > 1:
            raise DeclarationError(
                f"{where}: the callback of parameter {parameter.name()!r} reads a reference to an "
                "earlier optimum, which it would find as it was before the solve; write the "
                "reference into the expression itself, or a further stage that computes the value "
                "and .at(...) of it."
            )


def _answer(parameter: cp.Parameter) -> str:
    """What a callback says now, or how it fails."""
    try:
        value = dense(parameter.value)
    except Exception as error:  # noqa: BLE001 - whatever it does is its answer
        return repr(error)
    return "nothing" if value is None else repr(np.asarray(value).tolist())
