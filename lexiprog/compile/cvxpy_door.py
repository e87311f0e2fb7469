"""The one door to CVXPY's internals: compile a problem, run its solver, read the answer back."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.forms.standard_form import Cones, StandardForm

Array = NDArray[np.float64]

# As fast as any on large data, and the only one that stays fast with large parameters (1e3 x 20:
# 0.01 s, SCIPY 2.4 s). The choice is not part of CVXPY's cache key, so make one.
BACKEND = "COO"

HAS_POINT = frozenset(s.SOLUTION_PRESENT)


@dataclass
class Compiled:
    """A problem's numbers for one solver, at the parameter values of the moment."""

    problem: cp.Problem
    chain: Any
    data: Any
    inverse: list[Any]
    seconds: float
    _form: StandardForm | None = field(default=None, repr=False)

    @property
    def form(self) -> StandardForm:
        """The problem in the form that certificates are computed in."""
        if self._form is None:
            self._form = _standard_form(self.data, self.chain.solver, self.inverse[-1])
        return self._form


@dataclass(frozen=True)
class Answer:
    """A solver's claim: a status and, where there is one, a point."""

    status: str
    value: float = np.nan  # in the problem's own sense
    claimed: float = np.nan  # the same in the standard form's minimising sense
    x: Array | None = None
    z: Array | None = None
    bound: float | None = None
    iterations: int | None = None
    primal: dict[int, Any] = field(default_factory=dict)
    dual: dict[int, Any] = field(default_factory=dict)


def compile_problem(
    problem: cp.Problem, solver: Any, *, gp: bool, dpp: bool, options: dict[str, Any]
) -> Compiled:
    """Numbers of ``problem`` for ``solver``; quick if it was compiled for it before."""
    start = time.perf_counter()
    with CVXPY_LOCK, warnings.catch_warnings():
        # CVXPY's analysis multiplies infinite bounds by zeros: noise, not a fault of the model.
        warnings.filterwarnings("ignore", message="invalid value encountered", module="cvxpy")
        _forget_guessed_bounds(problem, solver, gp=gp, dpp=dpp, options=options)
        data, chain, inverse = problem.get_problem_data(
            solver, gp=gp, ignore_dpp=not dpp, canon_backend=BACKEND, solver_opts=dict(options)
        )
    return Compiled(problem, chain, data, inverse, time.perf_counter() - start)


def _forget_guessed_bounds(
    problem: cp.Problem, solver: Any, *, gp: bool, dpp: bool, options: dict[str, Any]
) -> None:
    """Put a chain of reductions in the problem's cache that bounds no auxiliary variable.

    CVXPY 1.9.3 guesses bounds of the variables it adds for maxima, norms and the like by interval
    arithmetic in which zero times infinity may end as zero. A wrong one cuts off the optimum, and
    nothing that is computed from the compiled numbers can tell. They are redundant anyway.
    """
    name = solver.upper() if isinstance(solver, str) else solver
    cache = problem._cache  # noqa: SLF001
    key = cache.make_key(name, gp, not dpp, options.get("use_quad_obj"))
    if key == cache.key:
        return
    chain = problem._construct_chain(  # noqa: SLF001
        solver=name,
        gp=gp,
        ignore_dpp=not dpp,
        canon_backend=BACKEND,
        solver_opts=dict(options),
    )
    if chain.solver_context is not None:
        chain.solver_context.solver_supports_bounds = False
    cache.invalidate()
    cache.key, cache.solving_chain = key, chain
    problem._solver_cache = {}  # noqa: SLF001
    problem.solver_context = chain.solver_context


def run(compiled: Compiled, options: dict[str, Any]) -> Any:
    """Call the native solver; safe in a thread, since it only sees arrays."""
    return compiled.chain.solver.solve_via_data(compiled.data, False, False, options, {})


def interpret(compiled: Compiled, raw: Any) -> Answer:
    """Translate the native result into values of the problem's own variables and constraints."""
    with CVXPY_LOCK:
        chain, inverse = compiled.chain, compiled.inverse
        solution = chain.solver.invert(raw, inverse[-1])
        attr = solution.attr or {}
        if solution.status not in HAS_POINT or not solution.primal_vars:
            status = str(solution.status)
            return Answer("no_point_at_limit" if status in HAS_POINT else status)
        x = np.asarray(next(iter(solution.primal_vars.values())), dtype=float).reshape(-1)
        z = _multipliers(compiled, solution)
        claimed = float(solution.opt_val)
        for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
            solution = reduction.invert(solution, record)
    return Answer(
        status=str(solution.status),
        value=float(solution.opt_val),
        claimed=claimed,
        x=x,
        z=z,
        bound=_reported_bound(attr, float(inverse[-1][s.OFFSET])),
        iterations=_count(attr.get(s.NUM_ITERS)),
        primal=dict(solution.primal_vars),
        dual=dict(solution.dual_vars or {}),
    )


def dual_arrays(constraint: Any, value: Any) -> Any:
    """A multiplier in the shape CVXPY shows it: an array, or a list for cones with parts."""
    if type(constraint).__name__ in ("Inequality", "Equality", "Zero", "NonNeg", "NonPos", "PSD"):
        return np.reshape(np.asarray(value, dtype=float), constraint.shape, order="F")
    with CVXPY_LOCK:
        before = [leaf.value for leaf in constraint.dual_variables]
        constraint.save_dual_value(value)
        parts = [np.array(leaf.value) for leaf in constraint.dual_variables]
        for leaf, old in zip(constraint.dual_variables, before, strict=True):
            leaf.save_value(old)
    return parts


def _multipliers(compiled: Compiled, solution: Any) -> Array | None:
    """The multipliers in the row order of the standard form; None if any is missing."""
    program = compiled.data[s.PARAM_PROB]
    if solution.dual_vars is None or program.is_mixed_integer():
        return None
    parts = []
    for constraint in program.constraints:
        value = solution.dual_vars.get(constraint.id)
        if value is None:
            return None
        parts.append(np.asarray(value, dtype=float).reshape(-1, order="F"))
    z = np.concatenate(parts) if parts else np.zeros(0)
    return z if z.size == compiled.form.b.size else None


def _standard_form(data: dict[str, Any], solver: Any, inverse: Any) -> StandardForm:
    """Read the standard form out of the dictionary a CVXPY solver interface built."""
    program = data[s.PARAM_PROB]
    columns = program.x.size
    if "F" in data:  # quadratic interfaces: Ax = b, Fx <= G
        c, A, b = data["q"], _stack(data["A"], data["F"]), _join(data["b"], data["G"])
    elif "G" in data:  # split interfaces: Ax = b, h - Gx in K
        c, A, b = data["c"], _stack(data["A"], data["G"]), _join(data["b"], data["h"])
    else:
        c, A, b = data["c"], data["A"], data["b"]
    if A is None:
        A, b = sp.csc_array((0, columns)), np.zeros(0)
    cones = _cones(program, solver)
    order = list(getattr(solver, "EXP_CONE_ORDER", None) or [0, 1, 2])
    if cones.exp and order != [0, 1, 2]:
        rows = np.arange(b.size)
        first = cones.linear + sum(cones.soc) + sum(map(cones.psd_rows, cones.psd))
        triples = rows[first : first + 3 * cones.exp].reshape(-1, 3)
        rows[first : first + 3 * cones.exp] = triples[:, order].reshape(-1)
        A, b = sp.csr_array(A)[rows], b[rows]
    P = data.get("P")
    lower, upper = (_bounds(data.get(key)) for key in (s.LOWER_BOUNDS, s.UPPER_BOUNDS))
    booleans = np.array([index[0] for index in program.x.boolean_idx], dtype=np.intp)
    integers = np.array([index[0] for index in program.x.integer_idx], dtype=np.intp)
    if booleans.size:
        lower = np.full(columns, -np.inf) if lower is None else lower
        upper = np.full(columns, np.inf) if upper is None else upper
        lower[booleans] = np.maximum(lower[booleans], 0.0)
        upper[booleans] = np.minimum(upper[booleans], 1.0)
    return StandardForm(
        c=np.asarray(c, dtype=float),
        offset=float(inverse[s.OFFSET]),
        A=A,
        b=np.asarray(b, dtype=float),
        cones=cones,
        P=P if P is not None and P.nnz else None,
        lower=lower,
        upper=upper,
        integer=np.concatenate([booleans, integers]),
    )


def _cones(program: Any, solver: Any) -> Cones:
    dims = program.cone_dims
    kinds = {type(constraint).__name__ for constraint in program.constraints}
    layout = "full"
    if "SvecPSD" in kinds:
        layout = str(getattr(solver, "PSD_TRIANGLE_KIND", "upper")).lower().rsplit(".", 1)[-1]
    return Cones(
        zero=dims.zero,
        nonneg=dims.nonneg,
        soc=tuple(dims.soc),
        psd=tuple(dims.psd),
        exp=dims.exp,
        power=tuple((float(a), 1.0 - float(a)) for a in dims.p3d)
        + tuple(tuple(map(float, powers)) for powers in dims.pnd),
        psd_layout=layout,  # type: ignore[arg-type]
    )


def _stack(top: Any, bottom: Any) -> Any:
    parts = [part for part in (top, bottom) if part is not None]
    return sp.vstack(parts, format="csc") if parts else None


def _join(top: Any, bottom: Any) -> Array:
    return np.concatenate([np.zeros(0) if p is None else np.atleast_1d(p) for p in (top, bottom)])


def _bounds(values: Any) -> Array | None:
    return None if values is None else np.array(values, dtype=float)


def _reported_bound(attr: dict[str, Any], offset: float) -> float | None:
    """The lower bound an integer solver reports, wherever its interface keeps it."""
    stats = attr.get(s.EXTRA_STATS)
    for name in ("mip_dual_bound", "ObjBound"):
        value = stats.get(name) if isinstance(stats, dict) else getattr(stats, name, None)
        if value is not None and np.isfinite(value):
            return float(value) + offset
    return None


def _count(value: Any) -> int | None:
    return None if value is None else int(np.sum(value))
