"""What a placeholder, a plain CVXPY parameter, stands for: its owner is on record here."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError, UnknownName
from lexiprog.model.checks import call_plain
from lexiprog.model.expressions import Registry, automatic_names, dense, holding, shorten
from lexiprog.model.lock import LOCKS, Lock, Tolerance, checked_tolerance
from lexiprog.typing import Constraint, Owner

if TYPE_CHECKING:
    from lexiprog.model.subproblem import Subproblem
    from lexiprog.results.solution import Solution


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
_FOUND: Registry[bool] = Registry()


def found_number(shape: tuple[int, ...] = (), *, name: str) -> cp.Parameter:
    """A parameter for what another solve finds: whatever its digits are, nobody wrote it."""
    parameter = cp.Parameter(shape, name=name)
    _FOUND.add(parameter, True)
    return parameter


def is_found(parameter: cp.Parameter) -> bool:
    """Whether the value of a parameter is one that another solve has found."""
    return REFERENCES.get(parameter) is not None or _FOUND.get(parameter) is not None


def points_read(subproblems: Iterable[Subproblem]) -> frozenset[str]:
    """Names of subproblems whose points or multipliers, not only optima, these read."""
    return frozenset(
        reference.owner_name
        for subproblem in subproblems
        for _, reference in subproblem.references
        if reference.kind not in VALUES
    )


def limit_of(constraint: Constraint, lock: Lock) -> cp.Parameter:
    """The placeholder of the bound in a constraint that holds an optimum."""
    for parameter in constraint.parameters():
        reference = REFERENCES.get(parameter)
        if reference is not None and reference.lock is lock:
            return parameter
    raise UnknownName(f"{constraint} does not hold {lock.owner_name!r}")


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


# What a placeholder may promise of its value: sign and structure, for CVXPY's rules.

_STRUCTURE = ("PSD", "NSD", "symmetric", "hermitian", "diag")


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


# Make placeholders for what later problems take from an earlier one's solution.


def optimum_of(owner: Subproblem) -> cp.Parameter:
    """A placeholder for the optimal value."""
    attributes = attributes_of(owner.objective.expr, gp=owner.gp)
    return _refer(owner, ReferenceKind.OPTIMUM, (), lambda found: found.value, attributes)


def value_at(owner: Subproblem, given: object) -> cp.Parameter:
    """A placeholder for the value of an expression at the optimum."""
    expression = _as_expression(owner, given)
    mine = {variable.id for variable in owner.variables}
    for variable in expression.variables():
        if variable.id not in mine:
            raise DeclarationError(
                f"{owner.name}.at({shorten(expression)}): variable "
                f"{variable.name()!r} is not part of subproblem {owner.name!r}, so its optimum "
                "says nothing about it."
            )
    whole = is_whole(expression)
    return _refer(
        owner,
        ReferenceKind.AT,
        expression.shape,
        lambda found: np.round(found.at(expression)) if whole else found.at(expression),
        attributes_of(expression, gp=owner.gp),
        inside=expression.parameters(),
        expression=expression,
    )


def multiplier_of(owner: Subproblem, constraint: Constraint) -> cp.Parameter:
    """The placeholder for the multiplier of one of its constraints, made once."""
    where = f"{owner.name}.dual({shorten(constraint, automatic_names(owner.variables))})"
    position = next((k for k, c in enumerate(owner.constraints) if c is constraint), None)
    if position is None:
        raise DeclarationError(f"{where}: subproblem {owner.name!r} has no such constraint.")
    if owner.qcp or owner.nlp:
        raise DeclarationError(
            f"{where}: a level that is not convex has no multipliers that later stages could use."
        )
    if owner.integer:
        raise DeclarationError(
            f"{where}: integer problems have no multipliers; fix the integers in a further "
            "stage and refer to that one."
        )
    attributes, kind = dual_attributes(constraint, where), ReferenceKind.DUAL
    shape = constraint.shape

    def make() -> cp.Parameter:
        return _refer(
            owner, kind, shape, lambda found: found.dual(position), attributes, position=position
        )

    return owner.memory.once((kind, position), make)


def hold(owner: Subproblem, *, atol: Tolerance, rtol: Tolerance) -> Constraint:
    """The constraint that keeps the optimum of ``owner``, on record as a lock."""
    atol = checked_tolerance(f"{owner.name}.held: atol", atol)
    rtol = checked_tolerance(f"{owner.name}.held: rtol", rtol)
    fair, ordered = owner.fair, owner.integer
    lock = Lock(owner.name, weakref.ref(owner), owner.maximise, atol, rtol, fair is not None)
    inside, held = lock.parameters.values(), ReferenceKind.HELD
    if fair is None:
        attributes = {"pos": True} if owner.gp else {}
        limit = _refer(owner, held, (), lambda found: found.value, attributes, lock, inside)
        expression = owner.objective.expr
        constraint = expression >= limit if owner.maximise else expression <= limit
        if owner.plain:
            call_plain(constraint)
    else:
        shape = (len(fair.names),)
        limit = _refer(
            owner,
            held,
            shape,
            lambda found: fair.values(found.levels, ordered=ordered),
            {},
            lock,
            inside,
        )
        constraint = fair.keep(limit, ordered=ordered)
    LOCKS.add(constraint, lock)
    return constraint


def _as_expression(owner: Subproblem, given: object) -> cp.Expression:
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


def _refer(
    owner: Subproblem,
    kind: ReferenceKind,
    shape: tuple[int, ...],
    read: Callable[[Solution], Any],
    attributes: dict[str, bool],
    lock: Lock | None = None,
    inside: Iterable[cp.Parameter] = (),
    expression: cp.Expression | None = None,
    position: int | None = None,
) -> cp.Parameter:
    """A placeholder named for what it stands for, with its owner on record."""
    what = str(kind)
    if expression is not None:
        what = f"{kind}({shorten(expression, automatic_names(owner.variables))})"
    elif position is not None:
        what = f"{kind}({position})"
    found = weakref.ref(owner)
    reference = Reference(
        kind, what, owner.name, found, read, lock, tuple(inside), expression, position
    )
    parameter = cp.Parameter(shape, name=reference.label, **attributes)
    REFERENCES.add(parameter, reference)
    return parameter
