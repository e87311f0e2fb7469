"""Objectives in strict order of priority.

Stages: one for each objective, over the same constraints, with every earlier optimum held within
its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError, there_are
from lexiprog.fairness.objective import Fairness
from lexiprog.model.expressions import declared, shorten
from lexiprog.model.lock import Tolerance, checked_tolerance
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.typing import NUMBERS, Constraint, Objective

# Objectives in order of priority: one stage each, all earlier optima held.


class Blend:
    """Objectives of equal importance, each with a weight: one level of a hierarchy.

    Use it where Gurobi or CPLEX give several objectives one priority.

    Parameters
    ----------
    objectives : mapping
        Name to ``cp.Minimize`` or ``cp.Maximize``.
    weights : mapping, optional
        Name to a positive number, 1 by default. Each objective counts in its own sense.

    Attributes
    ----------
    objective : cvxpy.Minimize or cvxpy.Maximize
        The weighted sum, in the sense of the first: what is of the other one is subtracted.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, bounds=[0, 4], name="x")
    >>> costs = {"coal": cp.Minimize(x[0]), "wind": cp.Minimize(x[1])}
    >>> blend = lx.Blend(costs, {"coal": 3})
    >>> program = lx.preemptive({"cost": blend, "far": cp.Maximize(x[0])}, [cp.sum(x) >= 3])
    >>> [round(solution.value, 6) for solution in program.solve().values()]
    [3.0, 0.0]
    """

    def __init__(
        self, objectives: Mapping[str, Objective], weights: Mapping[str, float] | None = None
    ) -> None:
        if not isinstance(objectives, Mapping) or not objectives:
            raise DeclarationError(
                f"Blend takes a mapping from names to objectives, not {objectives!r}."
            )
        weights = {} if weights is None else dict(weights)
        for name, weight in weights.items():
            if name not in objectives:
                known = there_are(objectives, name)
                raise DeclarationError(f"weights names {name!r}, which is no objective: {known}")
            if not isinstance(weight, NUMBERS) or not 0 < weight < np.inf:
                raise DeclarationError(f"the weight of {name!r} must be positive, not {weight!r}.")
        for name, objective in objectives.items():
            if not isinstance(objective, cp.Minimize | cp.Maximize):
                raise DeclarationError(
                    f"{name!r} in a Blend must be cp.Minimize(...) or cp.Maximize(...), not "
                    f"{shorten(objective)}."
                )
        self.weights = {name: float(weights.get(name, 1.0)) for name in objectives}
        sense = type(next(iter(objectives.values())))
        parts = [
            (self.weights[name] if isinstance(objective, sense) else -self.weights[name])
            * objective.expr
            for name, objective in objectives.items()
        ]
        self.objective: Objective = sense(sum(parts[1:], parts[0]))

    def __repr__(self) -> str:
        return f"Blend({shorten(self.objective)})"


Priority = tuple[str, Objective | Fairness]
# What a level of ``preemptive`` may be given as.
LevelGiven: TypeAlias = Objective | Fairness | Blend | Sequence[Objective | tuple[float, Objective]]


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
    objectives: Mapping[str, LevelGiven] | Mapping[str | tuple[str, ...], LevelGiven],
    constraints: Sequence[Constraint] = (),
    *,
    atol: Tolerances = 0.0,
    rtol: Tolerances = 0.0,
    gp: bool = False,
    qcp: bool = False,
    nlp: bool = False,
) -> Program:
    """Program that optimises objectives in order, never giving up an earlier one.

    Use it where one objective counts more than any amount of the next; other hierarchies, whose
    levels have constraints of their own, are written as :class:`Program`.

    Parameters
    ----------
    objectives : mapping
        Name to ``cp.Minimize``, ``cp.Maximize``, :class:`Leximin`, :class:`Leximax` or
        :class:`Blend`, most important first. A tuple of names stands for a level of equally
        important objectives, given as a list in the same order, with weights as pairs (weight,
        objective); its name is ``"b + c"``.
    constraints : sequence of CVXPY constraints
        The same for all of them.
    atol, rtol : float, scalar cp.Parameter, or mapping from names to these
        An optimum f may later degrade by max(atol, rtol * abs(f)), by nothing by default.
        Parameters are read when the program is solved.
    gp, qcp, nlp : bool
        Read all of them as geometric, quasiconvex or smooth programs; see :class:`Subproblem`.

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
            "preemptive takes a mapping from names to objectives, most important first, such as "
            f"{{'cost': cp.Minimize(...), ...}}, not {shorten(objectives)}."
        )
    levels = dict(_level(key, given) for key, given in objectives.items())
    atol, rtol = _by_level(atol), _by_level(rtol)
    for label, given in (("atol", atol), ("rtol", rtol)):
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in levels]
            if unknown:
                raise DeclarationError(
                    f"{label} names {unknown[0]!r}, which is no objective; "
                    f"there are {there_are(levels, unknown[0])}"
                )

    def tolerance(name: str) -> dict[str, Tolerance]:
        return {"atol": _pick(atol, name, "atol"), "rtol": _pick(rtol, name, "rtol")}

    rules = {"gp": gp, "qcp": qcp, "nlp": nlp}
    return Program(*stages_in_turn(levels.items(), declared(constraints), tolerance, **rules))


def _level(key: str | tuple[str, ...], given: LevelGiven) -> Priority:
    """The name and the objective of a level."""
    if isinstance(given, Blend):
        return _joined(key), given.objective
    if not isinstance(key, tuple):
        return key, given
    if not isinstance(given, Sequence) or len(given) != len(key):
        raise DeclarationError(
            f"the level {key!r} takes a list of {len(key)} objectives, not {given!r}."
        )
    pairs = [part if isinstance(part, tuple) and len(part) == 2 else (1.0, part) for part in given]
    weights = {name: weight for name, (weight, _) in zip(key, pairs, strict=True)}
    objectives = {name: objective for name, (_, objective) in zip(key, pairs, strict=True)}
    return _joined(key), Blend(objectives, weights).objective


def _joined(key: object) -> str:
    return " + ".join(key) if isinstance(key, tuple) else str(key)


def _by_level(given: Tolerances) -> Tolerances:
    return {_joined(k): v for k, v in given.items()} if isinstance(given, Mapping) else given


def _pick(given: Tolerances, name: str, label: str) -> Tolerance:
    value = given.get(name, 0.0) if isinstance(given, Mapping) else given
    return checked_tolerance(f"{label} of {name!r}", value)
