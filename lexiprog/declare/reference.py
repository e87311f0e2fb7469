"""Placeholders for earlier optima: plain CVXPY parameters whose owner is on record here."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint, Owner
from lexiprog.declare.checks import call_plain
from lexiprog.declare.leaves import dense, holding
from lexiprog.declare.lock import LOCKS, Lock, Tolerance, checked_tolerance
from lexiprog.declare.memory import Registry
from lexiprog.errors import DeclarationError

if TYPE_CHECKING:
    from lexiprog.declare.subproblem import Subproblem
    from lexiprog.result.solution import Solution


@dataclass(frozen=True)
class Reference:
    """One number or array that a later problem takes from an earlier one's solution."""

    label: str
    owner_name: str
    owner: Owner  # weak: a dead owner is outside of every program
    read: Callable[[Solution], Any]
    lock: Lock | None = None  # for limits of held optima, whose slack may vary
    inside: tuple[cp.Parameter, ...] = ()  # parameters and placeholders the value itself depends on
    expression: cp.Expression | None = None  # whose value it is, for ``at``

    @property
    def kind(self) -> str:
        """What is referred to: "optimum", "at", "dual" or "held"."""
        return self.label.removeprefix(f"{self.owner_name}.").partition("(")[0]


REFERENCES: Registry[Reference] = Registry()

_STRUCTURE = ("PSD", "NSD", "symmetric", "hermitian", "diag")


def as_expression(owner: Subproblem, given: object) -> cp.Expression:
    """What ``at`` was given; numbers are expressions, too, names are not."""
    if isinstance(given, cp.Expression):
        return given
    try:
        return cp.Constant(given)
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"{owner.name}.at({given!r}): give a variable of {owner.name!r} or an expression of "
            f"them, not {type(given).__name__}."
        ) from error


def refer(
    owner: Subproblem,
    what: str,
    shape: tuple[int, ...],
    read: Callable[[Solution], Any],
    attributes: dict[str, bool],
    lock: Lock | None = None,
    inside: Iterable[cp.Parameter] = (),
    expression: cp.Expression | None = None,
) -> cp.Parameter:
    """A placeholder named for what it stands for, with its owner on record."""
    label = f"{owner.name}.{what}"
    parameter = cp.Parameter(shape, name=label, **attributes)
    found = weakref.ref(owner)
    reference = Reference(label, owner.name, found, read, lock, tuple(inside), expression)
    REFERENCES.add(parameter, reference)
    return parameter


def hold(owner: Subproblem, *, atol: Tolerance, rtol: Tolerance) -> Constraint:
    """The constraint that keeps the optimum of ``owner``, on record as a lock."""
    atol = checked_tolerance(f"{owner.name}.held: atol", atol)
    rtol = checked_tolerance(f"{owner.name}.held: rtol", rtol)
    fair, ordered = owner.fair, owner.integer
    lock = Lock(owner.name, weakref.ref(owner), owner.maximise, atol, rtol, fair is not None)
    inside = lock.parameters.values()
    if fair is None:
        attributes = {"pos": True} if owner.gp else {}
        limit = refer(owner, "held", (), lambda found: found.value, attributes, lock, inside)
        expression = owner.objective.expr
        constraint = expression >= limit if owner.maximise else expression <= limit
        if owner.plain:
            call_plain(constraint)
    else:
        shape = (len(fair.names),)
        limit = refer(
            owner,
            "held",
            shape,
            lambda found: fair.values(found.levels, ordered=ordered),
            {},
            lock,
            inside,
        )
        constraint = fair.keep(limit, ordered=ordered)
    LOCKS.add(constraint, lock)
    return constraint


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


def sign_of(expression: cp.Expression) -> dict[str, bool]:
    """Sign as a parameter attribute, from DCP analysis or from variable bounds."""
    if expression.is_complex():
        return {"complex": True}
    if expression.is_nonneg():
        return {"nonneg": True}
    if expression.is_nonpos():
        return {"nonpos": True}
    try:
        # Zero times infinity may end as a bound of zero in CVXPY's intervals: better none.
        with np.errstate(all="raise"):
            lower, upper = expression.get_bounds()
    except (ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError):
        return {}
    if lower is not None and np.all(np.asarray(dense(lower)) >= 0):
        return {"nonneg": True}
    if upper is not None and np.all(np.asarray(dense(upper)) <= 0):
        return {"nonpos": True}
    return {}


def attributes_of(expression: cp.Expression, *, gp: bool) -> dict[str, bool]:
    """Sign and structure that a placeholder for ``expression`` may promise."""
    sign = sign_of(expression)
    if gp and "nonneg" in sign:
        return {"pos": True}
    shape = expression.shape
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2:
        return sign
    if isinstance(expression, cp.Variable):
        structure = next((n for n in _STRUCTURE if expression.attributes.get(n)), None)
    elif expression.is_complex():
        structure = "hermitian" if expression.is_hermitian() else None
    else:
        tests = {"PSD": expression.is_psd, "NSD": expression.is_nsd,
                 "symmetric": expression.is_symmetric}  # fmt: skip
        structure = next((name for name, holds in tests.items() if holds()), None)
    if structure is None:
        return sign
    # CVXPY takes hermitian alone; a sign beside the other structures stays useful for DCP.
    return {"hermitian": True} if structure == "hermitian" else sign | {structure: True}


def is_whole(expression: cp.Expression) -> bool:
    """Whether the expression is an integer or boolean variable."""
    return isinstance(expression, cp.Variable) and bool(
        expression.attributes.get("integer") or expression.attributes.get("boolean")
    )


def dual_attributes(constraint: Constraint, where: str) -> dict[str, bool]:
    """Sign and structure of a constraint's multiplier, or a refusal if it is no single array."""
    kinds = cp.constraints
    if isinstance(constraint, kinds.Inequality | kinds.NonNeg | kinds.NonPos):
        return {"nonneg": True}
    if isinstance(constraint, kinds.Equality | kinds.Zero):
        return {}
    if isinstance(constraint, kinds.PSD):
        return {"PSD": True}
    raise DeclarationError(
        f"{where}: the multiplier of a {type(constraint).__name__} constraint is a list of arrays, "
        "not one; write the constraint as an inequality (cp.norm(x) <= t, cp.exp(x) <= t) to refer "
        "to its dual."
    )
