"""Why a problem has no optimum: its linear rows contradict each other, or none attains its infimum.

A curve is met up to a share of its terms, and no solver does better. Beside it linear rows could
contradict each other by as little, and nobody would notice: so they are looked at alone.

exp(-x) has the infimum 0 and no least value. A solver stops somewhere on the way, and a level that
holds what it found there says where it stopped, not what is best. Linear and quadratic problems
attain what they are bounded by (Frank and Wolfe, 1956), and so does every problem whose points
cannot go to infinity without loss. Of the others the smallest points near the infimum are compared:
towards an optimum they settle, else they go on and on.
"""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.clarabel import solve_conic
from lexiprog.backends.remote_lp import RemoteHighs
from lexiprog.backends.solver import EXACT, Solver, has_exact
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm, columns_of
from lexiprog.certify.feasible import is_met_nearby
from lexiprog.certify.measures import row_tolerance
from lexiprog.certify.terms import TermSizes
from lexiprog.compile.binding import Given
from lexiprog.compile.rational_data import Fractions, exact_program
from lexiprog.compile.task import Solutions, Strategy, Task, prepare
from lexiprog.cvxpy_adapter import Compiled
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.model.lock import Slack
from lexiprog.model.subproblem import Subproblem
from lexiprog.rational.prover import Prover
from lexiprog.results.evidence import Evidence
from lexiprog.solve.exact import Exact
from lexiprog.tolerances import (
    ENDLESS_SHARE,
    INFIMUM_DISTANCES,
    NEARLY_TOUCHED,
    NEARNESS,
    PRECISE_HIGHS,
    STEADY_STEPS,
    STEP_NOISE,
    TOUCHED,
)
from lexiprog.typing import Array, Constraint

# More rows than this are not looked at in fractions unless the user asks for it.
MOST_ROWS = 500
# Numbers of a problem beyond which five more solves would take too long.
LARGEST = 20_000
SENTENCE = (
    "its infimum is not attained: points come nearer and nearer the further they go, and none "
    "is best; bound the variables, or hold it with a tolerance (atol=, rtol=)"
)


def linear_rows_hold(task: Task, x: Array) -> bool | None:
    """Whether some point is on all linear rows of a problem, as they are written; None if unsure.

    Such a point is looked for near ``x`` first; columns that are integer stay where they are there.
    Rows whose numbers were computed may be missed by as much as those of linear problems. Rows that
    hold an earlier optimum say nothing: it is known up to rounding or less.
    """
    compiled = _own_rows(task)
    if compiled is None:
        return True
    form = linear_part(compiled.scaled, at=x if task.integer else None)
    x = x if x.size == form.c.size else np.zeros(form.c.size)
    x = np.where(np.abs(x) <= TOUCHED * np.abs(x).max(initial=0.0), 0.0, x)
    terms = TermSizes(form, x, np.zeros(form.b.size))

    def met(point: Array, touched: float) -> bool:
        def decimals() -> DecimalResiduals | None:
            return _first_rows(compiled.decimals, form.b.size)

        return is_met_nearby(terms, point, touched=touched, decimals=decimals)

    if met(form.within_bounds(x), NEARNESS * task.solver.accept):
        return True
    vertex = RemoteHighs(form.A, PRECISE_HIGHS).run(form.c, Bounds.of(form), deadline=task.deadline)
    point = form.within_bounds(vertex.x) if vertex.optimal else None
    if point is not None and met(point, NEARLY_TOUCHED):
        return True
    if not compiled.written:
        allowed = row_tolerance(form, task.solver.accept, "computed")
        near = point is not None and terms.measure(point, np.zeros(form.b.size)).rows <= allowed
        return near or None
    rows = linear_part(compiled.form, at=compiled.scaling.point(x) if task.integer else None)
    exact = _hold_in_fractions(compiled, rows, {}, task.deadline)
    return False if exact is None and vertex.word.is_infeasible else exact


def linear_part(form: StandardForm, at: Array | None = None) -> StandardForm:
    """Its linear rows and the bounds of its columns, without an objective.

    Integer columns are fixed where they are ``at``, if that is given.
    """
    count, cones = form.cones.linear, form.cones
    rows = form.A
    if count < form.b.size:
        rows = columns_of(rows).once("linear", count, lambda: sp.csc_array(form.A[:count]))
    lower, upper = form.lower, form.upper
    if at is not None and form.integer is not None:
        lower, upper = (end.copy() for end in form.ranges())
        lower[form.integer] = upper[form.integer] = np.round(at[form.integer])
    kept = Cones(zero=cones.zero, nonneg=cones.nonneg)
    return StandardForm(np.zeros(form.c.size), 0.0, rows, form.b[:count], kept, None, lower, upper)


def _first_rows(decimals: DecimalResiduals | None, count: int) -> DecimalResiduals | None:
    if decimals is None or decimals.sides is None:
        return None
    return replace(decimals, matrix=decimals.matrix[:count], sides=decimals.sides[:count])


def _own_rows(task: Task) -> Compiled | None:
    """The numbers of a problem without what refers to others; None if there is nothing to look at.

    What it has in common with problems that it holds was looked at with these.
    """
    subproblem = task.subproblem
    if not subproblem.references:
        return task.compiled
    placeholders = {parameter.id for parameter, _ in subproblem.references}
    owners = [owner for _, r in subproblem.references if (owner := r.owner()) is not None]
    known = {id(constraint) for owner in owners for constraint in owner.constraints}
    own = [c for c in subproblem.constraints if not placeholders & {p.id for p in c.parameters()}]
    if all(id(constraint) in known for constraint in own):
        return None
    alone = Subproblem(subproblem.name, cp.Minimize(1.0), own, gp=subproblem.gp)
    return prepare(alone, Strategy(task.solver), {}, given=task.given).compiled


def _hold_in_fractions(
    compiled: Compiled, form: StandardForm, known: Fractions, deadline: Deadline
) -> bool | None:
    """Whether these linear rows hold together in rational numbers; None if nobody knows."""
    if not has_exact() or form.b.size > MOST_ROWS or deadline.over:
        return None
    try:
        with deadline.here():
            program = exact_program(replace(compiled, given=form), known)
            status = Prover(program).minimise(deadline=deadline).status
    except OutOfTime:
        return None
    return {"optimal": True, "infeasible": False}.get(status)


def contradicts_itself(
    subproblem: Subproblem, solved: Solutions, slack: Slack, given: Given, deadline: Deadline
) -> bool:
    """Whether fractions prove that the linear constraints of a problem cannot hold together."""
    straight = [constraint for constraint in subproblem.constraints if _is_straight(constraint)]
    if subproblem.gp or not straight or not has_exact() or deadline.over:
        return False
    try:
        zero = cp.Minimize(0 * cp.sum(straight[0].variables()[0]))
        alone = Subproblem("its linear constraints", zero, straight)
        strategy = Strategy(Solver(EXACT))
        task = prepare(alone, strategy, solved, slack, Exact().compile, given, deadline)
        rows = linear_part(task.form)
        return _hold_in_fractions(task.native, rows, task.fractions, deadline) is False
    except Exception:  # noqa: BLE001 - what cannot be decided is not decided
        return False


def _is_straight(constraint: Constraint) -> bool:
    kinds = cp.constraints
    linear = kinds.Inequality | kinds.Equality | kinds.Zero | kinds.NonNeg | kinds.NonPos
    affine = isinstance(constraint, linear) and all(side.is_affine() for side in constraint.args)
    return affine and bool(constraint.variables())


def is_attained(proof: Evidence, deadline: Deadline) -> bool:
    """Whether some point has the value; True too where that is not known.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog.deadline import Deadline
    >>> def proof(curve, limits):
    ...     least = lx.Subproblem("p", cp.Minimize(curve), limits)
    ...     return lx.Program(lx.Stage("s", least)).solve()["p"].evidence
    >>> x = cp.Variable(name="x")
    >>> is_attained(proof(1 + cp.exp(-x), [x >= 0]), Deadline())
    False
    >>> is_attained(proof(1 + cp.exp(-x), [x >= 0, x <= 3]), Deadline())
    True
    """
    form = proof.form
    if form.cones.linear == form.b.size or (form.integer is not None and form.integer.size):
        return True
    if form.A.nnz + form.b.size + form.c.size > LARGEST:
        return True
    receding = _receding(form, deadline)
    if not receding.size:
        return True
    primal, gap = form.objective(proof.x), 0.0
    if proof.z is not None and form.P is None and form.lower is None and form.upper is None:
        gap = abs(primal - form.offset + float(form.b @ proof.z))
        gap += float(np.abs(form.c + form.A.T @ proof.z) @ np.abs(proof.x))  # missed by multipliers
    # Solvers stop on an endless way: what is not known of the infimum tells nothing.
    unit = max(1.0, gap / (INFIMUM_DISTANCES[-1] / 10.0))
    points = []
    for distance in INFIMUM_DISTANCES:
        found = solve_conic(_smallest(form, receding, primal + unit * distance), deadline)
        if found is None or not np.isfinite(found.x).all():
            return True
        points.append(np.abs(found.x[receding]))
    first, second = np.abs(np.diff(points, axis=0))
    # Towards an optimum steps become smaller, as the root of the distance or faster.
    endless = (second > STEADY_STEPS * first) & (second > ENDLESS_SHARE * points[-1])
    return not bool((endless & (second > STEP_NOISE)).any())


def _receding(form: StandardForm, deadline: Deadline) -> NDArray[np.intp]:
    """Columns that may go to infinity without leaving the cones or raising the objective.

    A way other than none has a positive part along almost every direction, or along its opposite.
    """
    lower, upper = form.ranges()
    down, up = np.where(np.isfinite(lower), 0.0, -1.0), np.where(np.isfinite(upper), 0.0, 1.0)
    ways = _with_value(replace(form, b=np.zeros(form.b.size), P=None, lower=down, upper=up), 0.0)
    direction = np.random.default_rng(0).uniform(0.5, 1.5, form.c.size)
    found = [solve_conic(replace(ways, c=sign * direction), deadline) for sign in (1.0, -1.0)]
    moved = [np.zeros(form.c.size) if way is None else np.abs(way.x) for way in found]
    return np.flatnonzero(np.max(moved, axis=0) > ENDLESS_SHARE)


def _with_value(form: StandardForm, most: float) -> StandardForm:
    """The form with its objective as a row that is at most ``most``."""
    linear, A = form.cones.linear, sp.csr_array(form.A)
    return replace(
        form,
        A=sp.vstack([A[:linear], sp.csr_array(form.c[None, :]), A[linear:]], format="csc"),
        b=np.concatenate([form.b[:linear], [most], form.b[linear:]]),
        cones=replace(form.cones, nonneg=form.cones.nonneg + 1),
    )


def _smallest(form: StandardForm, columns: NDArray[np.intp], most: float) -> StandardForm:
    """Where these columns are smallest with a value of at most ``most``; how small comes last."""
    form = _with_value(form, most - form.offset)
    size, cones, A = form.c.size, form.cones, sp.csr_array(form.A)
    end = cones.linear + sum(cones.soc)
    wide = sp.hstack([A, sp.csr_array((form.b.size, 1))], format="csr")
    ball = -sp.eye_array(size + 1, format="csr")[np.append(size, columns)]
    return replace(
        form,
        c=np.append(np.zeros(size), 1.0),
        offset=0.0,
        A=sp.vstack([wide[:end], ball, wide[end:]], format="csc"),
        b=np.concatenate([form.b[:end], np.zeros(columns.size + 1), form.b[end:]]),
        cones=replace(cones, soc=(*cones.soc, columns.size + 1)),
        P=None,
        lower=None if form.lower is None else np.append(form.lower, -np.inf),
        upper=None if form.upper is None else np.append(form.upper, np.inf),
    )
