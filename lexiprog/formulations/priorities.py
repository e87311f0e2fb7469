"""Objectives in strict order of priority.

Stages: one for each objective, over the same constraints, with every earlier optimum held within
its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from lexiprog.errors import DeclarationError, there_are
from lexiprog.fairness.objective import Fairness
from lexiprog.model.lock import Tolerance, checked_tolerance
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.typing import Constraint, Objective

# Objectives in order of priority: one stage each, all earlier optima held.

Priority = tuple[str, Objective | Fairness]


def stages_in_turn(
    levels: Iterable[Priority],
    constraints: Sequence[Constraint],
    tolerance: Callable[[str], dict[str, Tolerance]] = lambda _: {},
    *,
    gp: bool = False,
    qcp: bool = False,
    nlp: bool = False,
) -> list[Stage]:
    """One stage and one subproblem for each (name, objective), in order.

    ``tolerance(name)`` gives the ``atol`` and ``rtol`` a level is later held with.
    """
    stages: list[Stage] = []
    held: list[Constraint] = []
    allowed: dict[str, Tolerance] = {}
    for name, objective in levels:
        if stages:
            # A lock of its own for every later problem would do as well; one constraint object
            # shared by all of them is what lets a chain be recognised.
            held.append(stages[-1].subproblems[0].held(**allowed))
        rows = [*constraints, *held]
        stages.append(Stage(name, Subproblem(name, objective, rows, gp=gp, qcp=qcp, nlp=nlp)))
        allowed = tolerance(name)
    return stages


Tolerances: TypeAlias = Tolerance | Mapping[str, Tolerance]


def preemptive(
    objectives: Mapping[str, Objective | Fairness],
    constraints: Sequence[Constraint] = (),
    *,
    atol: Tolerances = 0.0,
    rtol: Tolerances = 0.0,
    gp: bool = False,
) -> Program:
    """Program that optimises objectives in order, never giving up an earlier one.

    Use it where one objective counts more than any amount of the next; other hierarchies, whose
    levels have constraints of their own, are written as :class:`Program`.

    Parameters
    ----------
    objectives : mapping
        Name to ``cp.Minimize``, ``cp.Maximize``, :class:`Leximin` or :class:`Leximax`, most
        important first.
    constraints : sequence of CVXPY constraints
        The same for all of them.
    atol, rtol : float, scalar cp.Parameter, or mapping from names to these
        An optimum f may later degrade by max(atol, rtol * abs(f)), by nothing by default.
        Parameters are read when the program is solved.
    gp : bool
        Read all of them as geometric programs.

    Returns
    -------
    Program
        One stage and subproblem a name, fairness levels too: these keep every utility they settled.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    >>> limits = [3 * x + y <= 18, x + y <= 8, x + 2 * y <= 14]
    >>> goals = {"output": cp.Maximize(x + y), "waste": cp.Minimize(x)}
    >>> result = lx.preemptive(goals, limits).solve()
    >>> round(float(result.final[x]), 6), round(float(result.final[y]), 6)
    (2.0, 6.0)
    >>> result = lx.preemptive(goals, limits, atol={"output": 0.5}).solve()
    >>> round(float(result.final[x]), 6), round(float(result.final[y]), 6)
    (1.0, 6.5)
    """
    if not isinstance(objectives, Mapping) or not objectives:
        raise DeclarationError(
            "preemptive takes a mapping from names to objectives, most important first, not "
            f"{objectives!r}."
        )
    for label, given in (("atol", atol), ("rtol", rtol)):
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in objectives]
            if unknown:
                raise DeclarationError(
                    f"{label} names {unknown[0]!r}, which is no objective; "
                    f"there are {there_are(objectives, unknown[0])}"
                )

    def tolerance(name: str) -> dict[str, Tolerance]:
        return {"atol": _pick(atol, name, "atol"), "rtol": _pick(rtol, name, "rtol")}

    return Program(*stages_in_turn(objectives.items(), list(constraints), tolerance, gp=gp))


def _pick(given: Tolerances, name: str, label: str) -> Tolerance:
    value = given.get(name, 0.0) if isinstance(given, Mapping) else given
    return checked_tolerance(f"{label} of {name!r}", value)
