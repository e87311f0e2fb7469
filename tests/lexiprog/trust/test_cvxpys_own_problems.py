"""What plain CVXPY solves, a program of one stage solves too: CVXPY's own test problems.

Every problem of ``cvxpy.tests.solver_test_helpers`` is given to every installed solver. Where
CVXPY itself finds the value that the helper expects, so must we, with variables and multipliers.
"""

import inspect
import warnings

import cvxpy as cp
import numpy as np
import pytest
from cvxpy.tests import solver_test_helpers as helpers

import lexiprog as lx

PLACES = 3  # of the helpers' expectations, some of which were measured

# Not solvers but ways to differentiate, or experimental.
LEFT_OUT = {"DIFFCP", "MPAX"}
ARGUMENTS = {"axis": [0, 1], "objective_sense": ["max", "min"]}


def problems():
    for name, make in vars(helpers).items():
        if inspect.isfunction(make) and (
            make.__annotations__.get("return") is helpers.SolverTestHelper
        ):
            yield from make_all(name, make)


def make_all(name, make):
    (parameter, values) = next(
        ((p, ARGUMENTS[p]) for p in inspect.signature(make).parameters), (None, [None])
    )
    for value in values:
        label = name if parameter is None else f"{name}-{value}"
        yield pytest.param(make if parameter is None else lambda v=value: make(v), id=label)


def made(make):
    """A helper's problem, without what CVXPY says while it is written down."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def expectations(helper):
    """What the helper expects, as (what, how CVXPY tells, how we tell, the number)."""
    yield "value", lambda: helper.prob.value, lambda found: found.value, helper.expect_val
    for k, (v, number) in enumerate(zip(helper.variables, helper.expect_prim_vars, strict=True)):
        yield f"variable {k}", lambda v=v: v.value, lambda found, v=v: found[v], number
    for k, (c, number) in enumerate(zip(helper.constraints, helper.expect_dual_vars, strict=True)):
        yield f"dual {k}", lambda c=c: c.dual_value, lambda found, c=c: found.dual(c), number


def plainly(helper, solver):
    """The expectations that CVXPY alone meets with this solver; not all of them are unique."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            helper.prob.solve(solver=solver)
        except (cp.SolverError, ValueError, TypeError, KeyError, ImportError):
            return set()
    listed = list(expectations(helper))
    return {what for what, theirs, _, number in listed if number is None or near(theirs(), number)}


def complaints(helper, solver, wanted):
    """What is wrong with our answer, as sentences."""
    endless = helper.expect_val is not None and not np.isfinite(helper.expect_val)
    try:
        found = lx.Program(lx.Stage("only", lx.Subproblem("p", helper.prob))).solve(solver)["p"]
    except lx.StageError as error:
        status = error.status
        if not (endless and (status.is_infeasible or status.is_unbounded)):
            yield f"{solver} refused: {error}"
        return
    if endless or found.status not in ("optimal", "within_gap"):
        yield f"{solver} calls {found.value} {found.status}"
    for what, _, ours, number in expectations(helper):
        if what in wanted and number is not None and not near(ours(found), number):
            yield f"{solver}: {what} is {ours(found)}, expected {number}"


def near(mine, expected):
    if mine is None:
        return False
    if isinstance(mine, tuple | list):
        return all(near(a, b) for a, b in zip(mine, expected, strict=True))
    mine, expected = (np.asarray(part, float).ravel(order="F") for part in (mine, expected))
    return bool(np.allclose(mine, expected, rtol=1e-4, atol=10.0**-PLACES))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", list(problems()))
def test_every_solver_that_cvxpy_solves_it_with_is_right(make):
    found, everybody = [], []
    for solver in sorted(set(cp.installed_solvers()) - LEFT_OUT):
        met = plainly(made(make), solver)
        if "value" in met:
            everybody.append(met)
            found += complaints(made(make), solver, met)
    if not everybody:
        pytest.skip("no installed solver solves it with plain CVXPY")
    # Left to itself, the engine has an answer too.
    found += complaints(made(make), None, set.intersection(*everybody))
    assert not found, "\n".join(found)
