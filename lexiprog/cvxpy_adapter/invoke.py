"""Run a compiled problem's solver through CVXPY's interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from cvxpy.reductions.solvers.conic_solvers.clarabel_conif import CLARABEL, dims_to_solver_cones

from lexiprog.backends.clarabel import InteriorPoint, KeptInterior, threads_for
from lexiprog.backends.highs import HighsModel
from lexiprog.backends.kept import KeptHighs
from lexiprog.backends.remote import plain
from lexiprog.canon.standard_form import Bounds, StandardForm, by_columns
from lexiprog.cvxpy_adapter.canonicalise import AffineCompiled
from lexiprog.cvxpy_adapter.numbers import Compiled
from lexiprog.deadline import Deadline
from lexiprog.status import Status
from lexiprog.tolerances import INFINITE, OUT_OF_REACH
from lexiprog.typing import Array, FreshOptions, Record

if TYPE_CHECKING:
    from cvxpy.reductions.solvers.solver import Solver as Interface


# Up to so many rows a single linear problem is mostly solved before presolve would have ended.
AT_ONCE = 250
_KEPT, _KEPT_HIGHS = KeptInterior(), KeptHighs()
ECOS_INTERRUPTED = (-4, 6)  # the latter with a point


def run(
    compiled: Compiled,
    options: FreshOptions,
    *,
    start: Array | None = None,
    deadline: Deadline | None = None,
) -> object:
    """Call the native solver; safe in a thread, since it only sees arrays.

    ``start`` is a point in equilibrated units for those interfaces that take one. If the deadline
    says so the arrays are sent to a worker, and what comes back has the native result's attributes.
    """
    deadline = Deadline() if deadline is None else deadline
    away = deadline.executor
    if isinstance(compiled, AffineCompiled) and not deadline.verbose:
        form = compiled.scaled
        raw = (
            _by_highs(form, options)
            if away is None
            else away.call(_there, _by_highs, form, options, deadline=deadline)
        )
        if raw is not None:
            return raw
    data, solver = compiled.scaled_data(), compiled.chain.solver
    if type(solver) is CLARABEL:
        options = threads_for(data[s.A], data.get(s.P), data[CLARABEL.DIMS].psd) | options
    warm = start is not None and "init_value" in data
    if warm:
        data = dict(data) | {"init_value": start}
    by_clarabel = type(solver) is CLARABEL
    if away is None and by_clarabel:
        return _by_clarabel(data, options, deadline.verbose)
    if away is None:
        return _heard(solver.solve_via_data(data, warm, deadline.verbose, options, {}))
    numbers = {key: value for key, value in data.items() if key != s.PARAM_PROB}
    if by_clarabel:
        return away.call(
            _there, _by_clarabel, numbers, options, deadline.verbose, deadline=deadline
        )
    return away.call(
        _there,
        _by_interface,
        type(solver),
        numbers,
        warm,
        deadline.verbose,
        options,
        deadline=deadline,
    )


def _heard(raw: object) -> object:
    """What a solver found, unless it has caught Ctrl-C itself, as SCS, OSQP and ECOS do."""
    info = raw.get("info") if isinstance(raw, dict) else getattr(raw, "info", None)
    said, flag = getattr(info, "status", None), None
    if isinstance(info, dict):
        said, flag = info.get("status"), info.get("exitFlag")
    if said == "interrupted" or flag in ECOS_INTERRUPTED:
        raise KeyboardInterrupt
    return raw


def _there(function: Callable[..., object], *arguments: object) -> object:
    """What a function finds, as plain values that can travel."""
    return plain(function(*arguments))


def _by_interface(interface: Callable[[], Interface], *arguments: object) -> object:
    return interface().solve_via_data(*arguments, {})


def _by_clarabel(data: Record, options: FreshOptions, verbose: bool) -> object:  # noqa: FBT001 - as it travels
    """What CVXPY's interface of CLARABEL returns, without its copies of the matrices."""
    dims, size = data[CLARABEL.DIMS], data[s.C].size
    squares = data.get(s.P)
    if squares is None:
        squares = _nothing(size)
    else:
        squares = by_columns(squares)
        columns = np.arange(size).repeat(squares.indptr[1:] - squares.indptr[:-1])
        if (squares.indices > columns).any():
            squares = sp.triu(squares, format="csc")

    def make() -> tuple[list[object], object]:
        settings = CLARABEL.parse_solver_opts(verbose, dict(options))
        return dims_to_solver_cones(dims), settings

    rest = (verbose, dict(options), dims)
    found, sides = None, data[s.B]
    far = np.flatnonzero(sides[dims.zero : dims.zero + dims.nonneg] > OUT_OF_REACH) + dims.zero
    if far.size:
        near = sides.copy()
        near[far] = 2.0 * INFINITE  # CLARABEL leaves such rows out
        found = _KEPT.solve(squares, data[s.C], data[s.A], near, make, rest)
        solved = str(found.status) in ("Solved", "AlmostSolved")
        if not solved or ((data[s.A] @ np.array(found.x))[far] > sides[far]).any():
            found = None
    if found is None:
        found = _KEPT.solve(squares, data[s.C], data[s.A], sides, make, rest)
    said = CLARABEL.STATUS_MAP.get(str(found.status), "")
    if str(found.status) == "InsufficientProgress" and CLARABEL.ACCEPT_UNKNOWN in options:
        said = s.OPTIMAL_INACCURATE
    if dims.psd or dims.exp or dims.p3d or dims.pnd or not Status.of(said).has_point:
        return found  # the interface knows what it means
    return InteriorPoint(
        np.array(found.x), np.array(found.z), found.obj_val, found.iterations, said
    )


@lru_cache(16)
def _nothing(size: int) -> sp.csc_array:
    """No squares at all: to make such a matrix takes as long as to solve a small problem."""
    return sp.csc_array((size, size))


def solve_at_once(
    form: StandardForm, options: FreshOptions, deadline: Deadline | None = None
) -> InteriorPoint | None:
    """The optimum of a linear program of few rows by HiGHS without presolve; None if it has none.

    HiGHS starts from the last basis over the same matrix, where that makes no other answer.
    """
    if form.b.size > AT_ONCE or "presolve" in options:
        return None
    return _KEPT_HIGHS.solve(form, options, deadline)


def _by_highs(form: StandardForm, options: FreshOptions) -> Record | InteriorPoint | None:
    """What CVXPY's interface of HIGHS returns, from one HiGHS model; None if it must be asked.

    The interface makes two such objects and a copy of everything, which takes longer than a small
    problem.
    """
    options = options | options.get("highs_options", {})
    options.pop("highs_options", None)
    if "write_model_file" in options:
        return None
    try:
        found = solve_at_once(form, options)
        if found is not None:
            return found
        model = HighsModel(form.A, options, form.c, Bounds.of(form))
    except ValueError:  # an option that HiGHS refuses, for which CVXPY has its own words
        return None
    status = model.solve()  # with presolve it may find the reason, or an optimum
    ray = {"dual_ray": model.dual_ray()} if status == "kInfeasible" else {}
    return ray | {
        "solution": model.solution,
        "basis": None,
        "info": model.info,
        "model_status": status,
        "run_time": model.seconds,
    }
