"""Find what is wrong with a declared problem, down to the offending expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError
from lexiprog.model.expressions import Registry, automatic_names, key_of, shorten
from lexiprog.typing import Constraint, Leaf, Value

if TYPE_CHECKING:
    from lexiprog.model.subproblem import Subproblem


# Products have classes that CVXPY does not export, so they are asked for theirs.
_one, _few = cp.Variable(), cp.Variable(2)
_PRODUCTS = (type(_few @ [1, 2]), type(cp.multiply(_few, _few)), type(_one / 2))


_EQUAL = (cp.constraints.Equality, cp.constraints.Zero)
_AFFINE = (
    *_EQUAL,
    cp.constraints.Inequality,
    cp.constraints.NonNeg,
    cp.constraints.NonPos,
)
# What was found of constraints: the levels of a hierarchy share most of them.
_PLAIN: Registry[bool] = Registry()


def is_plain(problem: cp.Problem, variables: Iterable[cp.Variable]) -> bool:
    """Whether all is affine, real and finite, so that there is no rule of CVXPY to break.

    This is seen at a glance; what is not plain is looked at more closely.
    """
    return (
        all(_is_plain_row(constraint) for constraint in problem.constraints)
        and _is_plain_part(problem.objective)
        and not any(variable.is_psd() or variable.is_nsd() for variable in variables)
    )


def call_plain(constraint: Constraint) -> None:
    """Remember of a new constraint that it is, since what it is made of is."""
    _PLAIN.add(constraint, kept=True)


def _is_plain_row(constraint: Constraint) -> bool:
    plain = _PLAIN.get(constraint)
    if plain is None:
        plain = type(constraint) in _AFFINE and _is_plain_part(constraint)
        # Of the others CVXPY itself demands that they are real.
        plain = plain and not (type(constraint) in _EQUAL and constraint.is_complex())
        _PLAIN.add(constraint, plain)
    return plain


def _is_plain_part(part: cp.Expression) -> bool:
    if all(map(_is_product, part.args)):
        return True
    return (
        all(side.is_affine() for side in part.args)
        and (not part.parameters() or part.is_dcp(dpp=True))
        and all(_is_finite(constant) for constant in part.constants())
    )


def _is_product(expression: cp.Expression) -> bool:
    """Whether it is a constant times a variable, both real: the commonest part of all."""
    if type(expression) is not _PRODUCTS[0]:
        return False
    left, right = expression.args
    if type(left) is cp.Variable:
        left, right = right, left
    return (
        type(left) is cp.Constant
        and type(right) is cp.Variable
        and right.is_real()
        and _numbers(left).dtype.kind in "fiub"
        and _is_finite(left)
    )


def _is_finite(constant: cp.Constant) -> bool:
    return bool(np.isfinite(_numbers(constant)).all())


def _numbers(constant: cp.Constant) -> Value:
    """All but the zeros of a sparse matrix, which need not fit into memory."""
    values = constant.value
    return np.asarray(values.data if hasattr(values, "toarray") else values)


def check_rules(where: str, problem: cp.Problem, *, gp: bool) -> None:
    """Refuse what is not convex, or not finite."""
    check_curvature(where, problem, gp=gp)
    check_finite(where, problem)


def check_reading(
    where: str, objective: object, *, fair: bool, gp: bool, qcp: bool, nlp: bool
) -> None:
    """Refuse what is no objective, and ways to read it that exclude each other."""
    if gp + qcp + nlp > 1:
        raise DeclarationError(f"{where}: gp, qcp and nlp are three ways to read it: give one.")
    if fair and (gp or qcp or nlp):
        raise DeclarationError(
            f"{where}: fairness is for convex problems; in geometric ones take logarithms of the "
            "utilities."
        )
    if not isinstance(objective, cp.Minimize | cp.Maximize):
        given = shorten(objective) if isinstance(objective, cp.Expression) else repr(objective)
        raise DeclarationError(
            f"{where}: the objective must be cp.Minimize(...), cp.Maximize(...), a fairness "
            f"objective or a cp.Problem, not {given}."
        )


def check_not_convex(where: str, problem: cp.Problem, *, nlp: bool) -> None:
    """Refuse what is neither convex nor of the kind that was asked for, or not finite."""
    rules = "DNLP" if nlp else "DQCP"
    names = automatic_names(problem.variables())
    if nlp and any(v.attributes["integer"] or v.attributes["boolean"] for v in problem.variables()):
        raise DeclarationError(f"{where}: local search knows no integers: fix them, or leave nlp.")
    if not (problem.is_dnlp() if nlp else problem.is_dqcp()):
        for label, part, expressions in _parts(problem):
            if part.is_dnlp() if nlp else part.is_dqcp():
                continue
            way = (
                "only smooth atoms, and convex or concave ones where they point the right way"
                if nlp
                else "minimise quasiconvex and maximise quasiconcave objectives, write "
                "quasiconvex <= constant, and give denominators a sign (variables with pos=True or "
                "nonneg=True)"
            )
            raise DeclarationError(
                f"{where} is not {rules}: {label}, {shorten(part, names)}, does not fit "
                f"({_curvatures(expressions, names)}): {way}."
            )
        raise DeclarationError(f"{where} is not {rules}.")
    check_finite(where, problem)


def check_curvature(where: str, problem: cp.Problem, *, gp: bool) -> None:
    """Refuse what CVXPY's rules cannot prove convex (log-log convex for ``gp``)."""
    rules = "DGP" if gp else "DCP"
    if problem.is_dgp() if gp else problem.is_dcp():
        return
    names = automatic_names(problem.variables())
    for label, part, expressions in _parts(problem):
        if part.is_dgp() if gp else part.is_dcp():
            continue
        holds: Callable[[cp.Expression], bool] = lambda e: bool(e.is_dgp() if gp else e.is_dcp())  # noqa: E731
        culprit = _deepest(expressions, holds)
        if culprit is not None:
            raise DeclarationError(
                f"{where} is not {rules}: in {label}, CVXPY cannot tell the curvature of "
                f"{shorten(culprit, names)}.{_hint(problem, culprit, gp=gp)}"
            )
        raise DeclarationError(
            f"{where} is not {rules}: {label}, {shorten(part, names)}, has the wrong curvature "
            f"({_curvatures(expressions, names)}): minimise convex and maximise concave "
            "objectives, and write convex <= concave or affine == affine."
            f"{_hint(problem, None, gp=gp)}"
        )
    raise DeclarationError(f"{where} is not {rules}.")


def non_dpp_part(problem: cp.Problem, *, gp: bool) -> str | None:
    """The expression that makes CVXPY compile anew for every parameter value, if any."""
    if not problem.parameters() or (problem.is_dgp(dpp=True) if gp else problem.is_dcp(dpp=True)):
        return None
    for label, part, expressions in _parts(problem):
        if part.is_dgp(dpp=True) if gp else part.is_dcp(dpp=True):
            continue
        holds: Callable[[cp.Expression], bool] = lambda e: bool(  # noqa: E731
            e.is_dgp(dpp=True) if gp else e.is_dcp(dpp=True)
        )
        culprit = _deepest(expressions, holds)
        names = automatic_names(problem.variables())
        return f"{shorten(part if culprit is None else culprit, names)} in {label}"
    return shorten(problem)


def check_finite(where: str, problem: cp.Problem) -> None:
    """Refuse constants that are not finite numbers."""
    for constant in problem.constants():
        if not _is_finite(constant):
            culprit = "NaN" if np.isnan(_numbers(constant)).any() else "infinity"
            place = next(
                (
                    label
                    for label, part, _ in _parts(problem)
                    if any(constant is other for other in part.constants())
                ),
                "its data",
            )
            raise DeclarationError(
                f"{where}: a constant of shape {constant.shape} in {place} contains {culprit}; "
                "clean the data, or leave out bounds that don't bind."
            )


def check_name(kind: str, name: object) -> None:
    """Refuse what cannot be looked up by name."""
    if not isinstance(name, str) or not name:
        raise DeclarationError(f"a {kind}'s name is a non-empty text, not {name!r}.")


def check_names(where: str, kind: str, leaves: Sequence[Leaf]) -> None:
    """Refuse two variables or parameters of one name, since results are reached by name."""
    keys = [key_of(leaf, position) for position, leaf in enumerate(leaves)]
    for key in keys:
        if keys.count(key) > 1:
            raise DeclarationError(
                f"{where} has several {kind}s named {key!r}: results are reached by name, so give "
                "each its own."
                + (" (A whole cp.Problem is taken as it is.)" if kind == "variable" else "")
            )


def not_numbered(subproblem: Subproblem) -> list[cp.Variable]:
    """The variables beside those that an earlier problem tells apart by numbers."""
    owners = {reference.owner() for _, reference in subproblem.references}
    told = {
        variable.id
        for owner in owners
        if owner is not None
        for key, variable in zip(owner.keys, owner.variables, strict=True)
        if key.startswith(f"{variable.name()} (")
    }
    return [variable for variable in subproblem.variables if variable.id not in told]


def check_parameters(where: str, parameters: Sequence[cp.Parameter], *, gp: bool) -> None:
    """Refuse several of one name, and kinds of parameters that CVXPY compiles to wrong numbers."""
    check_names(where, "parameter", parameters)
    for parameter in parameters:
        # CVXPY looks up how to take logarithms or real parts by the exact type.
        if type(parameter) is not cp.Parameter and (gp or parameter.is_complex()):
            raise DeclarationError(
                f"{where}: parameter {parameter.name()!r} is a {type(parameter).__name__}, which "
                f"CVXPY misreads in {'geometric' if gp else 'complex'} programs: use a plain "
                "cp.Parameter and give it its value before solving."
            )


def _parts(problem: cp.Problem) -> Iterator[tuple[str, cp.Expression, list[cp.Expression]]]:
    yield "the objective", problem.objective, list(problem.objective.args)
    for position, constraint in enumerate(problem.constraints, 1):
        yield f"constraint {position}", constraint, list(constraint.args)


def _deepest(
    expressions: list[cp.Expression], holds: Callable[[cp.Expression], bool]
) -> cp.Expression | None:
    """The innermost expression that breaks a rule its own arguments keep."""
    for expression in expressions:
        if not holds(expression):
            inner = _deepest(list(expression.args), holds)
            return expression if inner is None else inner
    return None


def _hint(problem: cp.Problem, culprit: cp.Expression, *, gp: bool) -> str:
    """What kind of problem it may be instead, and whether that can be solved."""
    if gp:
        return ""
    if problem.is_dgp():
        return " It is a geometric program, though: say so with gp=True."
    hints = []
    factors = [] if culprit is None else list(culprit.args)
    if isinstance(culprit, _PRODUCTS) and not any(factor.is_constant() for factor in factors):
        hints.append(
            " Products of variables are for geometric programs: gp=True with positive variables "
            "(pos=True), sums and products of them, and no differences."
        )
    if problem.is_dqcp():
        hints.append(" It is quasiconvex, though: say so with qcp=True.")
    elif problem.is_dnlp():
        hints.append(" Its parts are smooth: nlp=True finds local optima.")
    return "".join(hints)


def _curvatures(expressions: list[cp.Expression], names: dict[str, str]) -> str:
    return " and ".join(f"{shorten(e, names)} is {e.curvature.lower()}" for e in expressions[:2])
