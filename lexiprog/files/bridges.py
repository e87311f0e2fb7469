"""Models of other tools, as programs: HiGHS, Gurobi, linopy, PuLP.

Each is read through its own interface and left as it is. Names are kept, so that results, conflicts
and prices speak the model's own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lexiprog.errors import DeclarationError
from lexiprog.files.linear_model import (
    Further,
    LinearModel,
    LinearObjective,
    ModelBuilder,
    ModelError,
    program_of,
)
from lexiprog.formulations.priorities import Tolerances
from lexiprog.program import Program
from lexiprog.tolerances import INFINITE
from lexiprog.typing import Array

if TYPE_CHECKING:
    import gurobipy
    import highspy
    import linopy
    import pulp

# An objective of another tool by itself, or with the sense "min" or "max" before it.
Sensed = Any


def from_highs(
    model: highspy.Highs,
    objectives: Further | None = None,
    *,
    atol: Tolerances | None = None,
    rtol: Tolerances | None = None,
) -> Program:
    """The hierarchy of a model in HiGHS.

    Use it where a model is built with highspy, or by a tool that ends there. Objectives of
    ``addLinearObjective`` are levels by their priority; columns, rows and names are HiGHS's own.

    Parameters
    ----------
    model : highspy.Highs
        As it is; it is neither changed nor run.
    objectives, atol, rtol : optional
        As in :func:`read`: further levels, and tolerances by level.

    Examples
    --------
    >>> import cvxpy as cp, highspy, lexiprog as lx
    >>> h = highspy.Highs()
    >>> h.silent()
    >>> x, y = h.addVariable(name="x"), h.addVariable(name="y")
    >>> _ = h.addConstr(x + y >= 4, name="demand")
    >>> _ = h.changeColsCost(2, [0, 1], [3.0, 1.0])
    >>> program = lx.from_highs(h, lambda column: {"much": cp.Maximize(column["x"])})
    >>> [solution.value for solution in program.solve().values()]
    [4.0, 0.0]
    """
    import highspy

    lp = model.getLp()
    kinds = [*lp.integrality_] or [highspy.HighsVarType.kContinuous] * lp.num_col_
    odd = [k for k, kind in enumerate(kinds) if int(kind) > 1]
    if odd:
        raise ModelError(f"column {_name(lp.col_names_, odd[0], 'C')!r} is semi-continuous.")
    if model.getModel().hessian_.dim_:
        raise ModelError("the objective is quadratic: only linear models are taken.")
    given = lp.a_matrix_
    form = sp.csc_array if given.format_ == highspy.MatrixFormat.kColwise else sp.csr_array
    shape = (lp.num_row_, lp.num_col_)
    matrix = form((np.array(given.value_), np.array(given.index_), np.array(given.start_)), shape)
    goals = _highs_objectives(model)
    goals = goals or [LinearObjective("obj", _terms(np.array(lp.col_cost_)), lp.offset_)]
    linear = LinearModel(
        tuple(_name(lp.col_names_, j, "C") for j in range(lp.num_col_)),
        np.array(lp.col_lower_), np.array(lp.col_upper_),
        np.array([int(kind) == 1 for kind in kinds], bool),
        tuple(_name(lp.row_names_, i, "R") for i in range(lp.num_row_)),
        sp.csr_array(matrix), np.array(lp.row_lower_), np.array(lp.row_upper_),
        tuple(goals), lp.sense_ == highspy.ObjSense.kMaximize, lp.model_name_,
    )  # fmt: skip
    return program_of(linear, objectives, atol=atol, rtol=rtol)


def _highs_objectives(model: highspy.Highs) -> list[LinearObjective]:
    """Those of ``addLinearObjective``, where HiGHS tells them."""
    out = []
    for k in range(model.getNumLinearObjectives()):
        one = model.getLinearObjective(k)
        tolerances = max(one.abs_tolerance, 0.0), max(one.rel_tolerance, 0.0)
        terms = _terms(np.array(one.coefficients))
        place = one.offset, one.priority, one.weight, *tolerances
        out.append(LinearObjective(f"obj{k}", terms, *place))
    return out


def _name(names: Iterable[str], place: int, letter: str) -> str:
    known = list(names)
    return (known[place] if place < len(known) else "") or f"{letter}{place}"


def _terms(costs: Array) -> dict[int, float]:
    return {int(j): float(costs[j]) for j in np.flatnonzero(costs)}


def from_gurobi(
    model: gurobipy.Model,
    objectives: Further | None = None,
    *,
    atol: Tolerances | None = None,
    rtol: Tolerances | None = None,
) -> Program:
    """The hierarchy of a Gurobi model: priorities, weights and tolerances of ``setObjectiveN``.

    Use it to have a Gurobi model's levels certified, priced or changed, on any solver. Unlike
    Gurobi, which reads ``ObjNAbsTol`` of linear programs as a limit of reduced costs, a tolerance
    is always what later levels may give up, as it is there for integer programs.

    Parameters
    ----------
    model : gurobipy.Model
        With linear constraints and objectives. It is read, after ``update()``, and left as it is.
    objectives, atol, rtol : optional
        As in :func:`read`: further levels, and tolerances by level.

    Examples
    --------
    >>> import lexiprog as lx
    >>> def levels(model):  # needs gurobipy
    ...     return lx.from_gurobi(model).solve()
    """
    from gurobipy import GRB

    model.update()
    for attribute, what in (
        ("NumSOS", "special ordered sets"), ("NumQConstrs", "quadratic constraints"),
        ("NumGenConstrs", "general constraints"), ("NumPWLObjVars", "piecewise linear objectives"),
        ("IsQP", "quadratic objectives"),
    ):  # fmt: skip
        if model.getAttr(attribute):
            raise ModelError(f"the model has {what}: only linear models are taken.")
    variables, rows = model.getVars(), model.getConstrs()
    for variable in variables:
        if variable.VType in (GRB.SEMICONT, GRB.SEMIINT):
            raise ModelError(f"column {variable.VarName!r} is semi-continuous.")
    rhs, sense = model.getAttr("RHS", rows), model.getAttr("Sense", rows)
    linear = LinearModel(
        tuple(model.getAttr("VarName", variables)),
        _finite(model.getAttr("LB", variables)), _finite(model.getAttr("UB", variables)),
        np.array([v.VType != GRB.CONTINUOUS for v in variables], bool),
        tuple(model.getAttr("ConstrName", rows)), sp.csr_array(model.getA()),
        np.array([-np.inf if s == "<" else r for s, r in zip(sense, rhs, strict=True)]),
        np.array([np.inf if s == ">" else r for s, r in zip(sense, rhs, strict=True)]),
        tuple(_gurobi_objectives(model, variables)), model.ModelSense < 0, model.ModelName,
    )  # fmt: skip
    return program_of(_named_once(linear), objectives, atol=atol, rtol=rtol)


def _finite(bounds: Iterable[float]) -> Array:
    """Bounds, with infinity where Gurobi has 1e100."""
    given = np.array(list(bounds), float)
    return np.where(np.abs(given) >= INFINITE, np.copysign(np.inf, given), given)


def _gurobi_objectives(model: gurobipy.Model, variables: list[Any]) -> Iterable[LinearObjective]:
    if not model.IsMultiObj:
        costs = np.array(model.getAttr("Obj", variables), float)
        yield LinearObjective("obj", _terms(costs), model.ObjCon)
        return
    before = model.Params.ObjNumber
    try:
        for k in range(model.NumObj):
            model.Params.ObjNumber = k
            costs = np.array(model.getAttr("ObjN", variables), float)
            yield LinearObjective(
                model.ObjNName or f"obj{k}", _terms(costs), model.ObjNCon, model.ObjNPriority,
                model.ObjNWeight, model.ObjNAbsTol, model.ObjNRelTol,
            )  # fmt: skip
    finally:
        model.Params.ObjNumber = before


def _named_once(model: LinearModel) -> LinearModel:
    """The model with numbers behind names that several columns or rows share."""
    return replace(model, columns=_once(model.columns), rows=_once(model.rows))


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) == len(names):
        return names
    taken = set(names)
    seen: set[str] = set()
    out = []
    for name in names:
        number, free = 1, name
        while free in seen or (free != name and free in taken):
            number += 1
            free = f"{name} ({number})"
        seen.add(free)
        out.append(free)
    return tuple(out)


def from_linopy(
    model: linopy.Model,
    objectives: Mapping[str, Sensed] | None = None,
    *,
    atol: Tolerances | None = None,
    rtol: Tolerances | None = None,
) -> Program:
    """The hierarchy of a linopy model: its own objective first, then others.

    Use it where a model, PyPSA's say, has one objective and more are wanted behind it.

    Parameters
    ----------
    model : linopy.Model
        It is read and left as it is; entries are called by their coordinates: ``p[north,3]``.
    objectives : mapping, optional
        Name to a linear expression of linopy, to be minimised, or to ("max", expression). An entry
        that is None stands for the model's own objective, which comes first otherwise.
    atol, rtol : optional
        Tolerances by level, as in :func:`preemptive`.

    Examples
    --------
    >>> import lexiprog as lx
    >>> def levels(model, fumes):  # needs linopy
    ...     return lx.from_linopy(model, {"cost": None, "fumes": fumes.sum()}).solve()
    """
    matrices = model.matrices
    labels = [int(label) for label in matrices.vlabels]
    place = {label: k for k, label in enumerate(labels)}
    if model.is_quadratic:
        raise ModelError("the objective is quadratic: only linear models are taken.")
    sense, rhs = list(matrices.sense), np.array(matrices.b, float)
    columns = _once(tuple(_of_linopy(model.variables, label) for label in labels))
    rows = _once(tuple(_of_linopy(model.constraints, int(c)) for c in matrices.clabels))
    kinds = list(matrices.vtypes)
    if "S" in kinds:
        raise ModelError(f"column {columns[kinds.index('S')]!r} is semi-continuous.")
    A = matrices.A
    own = LinearObjective("objective", _terms(np.array(matrices.c, float)))
    linear = LinearModel(
        columns, np.array(matrices.lb, float), np.array(matrices.ub, float),
        np.array([kind != "C" for kind in kinds], bool), rows,
        sp.csr_array((0, len(labels))) if A is None else sp.csr_array(A),
        np.array([-np.inf if s.startswith("<") else r for s, r in zip(sense, rhs, strict=True)]),
        np.array([np.inf if s.startswith(">") else r for s, r in zip(sense, rhs, strict=True)]),
        (), model.objective.sense == "max",
    )  # fmt: skip

    def terms(expression: Any) -> tuple[dict[int, float], float]:
        flat = expression.to_linexpr().flat if hasattr(expression, "to_linexpr") else None
        flat = expression.flat if flat is None else flat
        out: dict[int, float] = {}
        for label, value in zip(flat["vars"], flat["coeffs"], strict=True):
            out[place[int(label)]] = out.get(place[int(label)], 0.0) + float(value)
        return out, float(np.sum(expression.const.values)) if hasattr(expression, "const") else 0.0

    return _program(linear, own, objectives, terms, atol, rtol)


def _of_linopy(kind: Any, label: int) -> str:
    """What linopy calls an entry: its name, with its coordinates in brackets."""
    name, coordinates = kind.get_label_position(label)
    return f"{name}[{','.join(map(str, coordinates.values()))}]" if coordinates else str(name)


def from_pulp(
    problem: pulp.LpProblem,
    objectives: Mapping[str, Sensed] | None = None,
    *,
    atol: Tolerances | None = None,
    rtol: Tolerances | None = None,
) -> Program:
    """The hierarchy of a PuLP problem: its own objective first, then others.

    Use it in place of PuLP's ``sequentialSolve``, which holds each optimum by a row and certifies
    nothing.

    Parameters
    ----------
    problem : pulp.LpProblem
        It is read and left as it is.
    objectives : mapping, optional
        Name to an affine expression of PuLP, to be minimised, or to ("max", expression). An entry
        that is None stands for the problem's own objective, which comes first otherwise.
    atol, rtol : optional
        Tolerances by level, as in :func:`preemptive`.

    Examples
    --------
    >>> import pulp, lexiprog as lx
    >>> problem = pulp.LpProblem("plan", pulp.LpMinimize)
    >>> x, y = problem.add_variable("x", 0), problem.add_variable("y", 0, 5)
    >>> problem += 3 * x + y, "cost"
    >>> problem += x + y >= 8, "demand"
    >>> result = lx.from_pulp(problem, {"much": ("max", x)}).solve()
    >>> [solution.value for solution in result.values()], float(result.final["y"])
    ([14.0, 3.0], 5.0)
    """
    builder = ModelBuilder(name=str(problem.name), maximise=problem.sense < 0)
    if problem.sos1 or problem.sos2:
        raise ModelError("the problem has special ordered sets: only linear models are taken.")
    for variable in problem.variables():
        low = -np.inf if variable.lowBound is None else variable.lowBound
        up = np.inf if variable.upBound is None else variable.upBound
        column = builder.column(variable.name, low, up)
        builder.integer |= {column} if variable.cat == "Integer" else set()

    def terms(expression: Any) -> tuple[dict[int, float], float]:
        if not hasattr(expression, "items"):  # a single variable
            expression = 1.0 * expression
        found = {builder.column(v.name): float(c) for v, c in expression.items()}
        return found, float(expression.constant)

    rows = problem.constraints()
    names = _once(tuple(row.name or f"R{k}" for k, row in enumerate(rows, 1)))
    for name, row in zip(names, rows, strict=True):
        found, constant = terms(row)
        low = -np.inf if row.sense < 0 else -constant
        up = np.inf if row.sense > 0 else -constant
        builder.row(name, low, up, found)
    own = problem.objective
    first = LinearObjective("objective", {})
    if own is not None:
        found, constant = terms(own)
        first = LinearObjective(own.name or "objective", found, constant)
    return _program(builder.built(), first, objectives, terms, atol, rtol)


def _program(
    model: LinearModel,
    own: LinearObjective,
    objectives: Mapping[str, Sensed] | None,
    terms: Callable[[Any], tuple[dict[int, float], float]],
    atol: Tolerances | None,
    rtol: Tolerances | None,
) -> Program:
    """The model with its own objective and others behind it, or in the order they are given."""
    given = dict(objectives or {})
    if not any(value is None for value in given.values()):
        given = {own.name: None, **given}
    out = []
    for position, (name, value) in enumerate(given.items()):
        priority = len(given) - position
        if value is None:
            out.append(replace(own, name=name, priority=priority))
            continue
        sense, expression = value if isinstance(value, tuple) else ("min", value)
        if sense not in ("min", "max"):
            raise DeclarationError(f"the sense of {name!r} is 'min' or 'max', not {sense!r}.")
        weight = 1.0 if model.maximise == (sense == "max") else -1.0
        found, constant = terms(expression)
        out.append(LinearObjective(name, found, constant, priority, weight))
    return program_of(replace(model, objectives=tuple(out)), atol=atol, rtol=rtol)
