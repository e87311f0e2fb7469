"""A direction in which an objective improves without end, proved from the problem's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Value
from lexiprog.compile import cvxpy_door
from lexiprog.compile.cvxpy_door import Compiled, Prepared
from lexiprog.declare.leaves import dense
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.standard_form import StandardForm
from lexiprog.kinds import is_integer_kind
from lexiprog.proof.rays import least_multipliers
from lexiprog.solvers.clarabel import solve_conic
from lexiprog.solvers.solver import Solver

__all__ = ["direction_of"]

# Entries below this part of the largest are taken for rounding errors.
_NOISE = 1e-5
# A ray that leaves the constraints by less than this part of what it gains counts as one.
_PROOF = 1e8


def direction_of(subproblem: Subproblem) -> Mapping[str, Value] | None:
    """The shortest direction of unit gain that never leaves the feasible set, by variable name.

    At the values that parameters and references have now. None if there is no straight one, or
    none that the problem's numbers prove to be one.
    """
    linear = subproblem.kind in ("LP", "MILP")
    if is_integer_kind(subproblem.kind) and not linear:
        return None
    solver = Solver("HIGHS" if linear else "CLARABEL")
    options = solver.options_for(integer=subproblem.integer)
    prepared = Prepared(subproblem.problem, gp=subproblem.gp, dpp=False)
    compiled = prepared.compile(solver.target, options)
    found = solve_conic(_recession(compiled.scaled))
    if found is None:
        return None
    ray = _proved(compiled.scaled, found.x)
    return None if ray is None else _by_variable(compiled, subproblem, ray)


def _recession(form: StandardForm) -> StandardForm:
    """The directions that never leave the feasible set and gain one, the shortest sought."""
    size = form.c.size
    flat = [sp.csr_array(form.c.reshape(1, -1))]
    if form.P is not None:  # a quadratic objective must not bend
        flat.append(sp.csr_array(form.P))
    above = sp.vstack(flat)
    free = np.full(size, np.inf)
    return replace(
        form,
        c=np.zeros(size),
        offset=0.0,
        P=sp.csc_array(sp.eye_array(size)),
        A=sp.csc_array(sp.vstack([above, form.A])),
        b=np.concatenate([[-1.0], np.zeros(above.shape[0] - 1 + form.b.size)]),
        cones=replace(form.cones, zero=form.cones.zero + above.shape[0]),
        lower=-free if form.lower is None else np.where(np.isfinite(form.lower), 0.0, -np.inf),
        upper=free if form.upper is None else np.where(np.isfinite(form.upper), 0.0, np.inf),
        integer=None,
    )


def _proved(form: StandardForm, ray: Array) -> Array | None:
    """The ray without rounding errors, if the numbers say that it is one."""
    largest = float(np.max(np.abs(ray), initial=0.0))
    if not largest > 0:
        return None
    # Most rays are made of small whole numbers; so much the better if one can be had exactly.
    smallest = float(np.min(np.abs(ray[np.abs(ray) > _NOISE * largest])))
    tries: list[Array] = [np.round(ray / unit, 4) for unit in (smallest, largest)]
    tries += [np.where(np.abs(ray) > _NOISE * largest, ray, 0.0), ray]
    return next((one for one in tries if least_multipliers(form, one) >= _PROOF), None)


def _by_variable(compiled: Compiled, subproblem: Subproblem, ray: Array) -> Mapping[str, Value]:
    values = cvxpy_door.answer_at(compiled, ray, None, iterations=None).primal
    return {
        key: np.array(dense(values[variable.id])) + 0.0
        for key, variable in zip(subproblem.keys, subproblem.variables, strict=True)
    }
