"""Warm re-solves give the same certified optima as cold ones."""

from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.task import Strategy, prepare
from lexiprog.solve import warm_start as warm_module
from lexiprog.solve.warm_start import LATEST, WarmHighs


def plant(rows=200, columns=60):
    rng = np.random.default_rng(3)
    A = rng.uniform(0, 1, (rows, columns)) * (rng.uniform(size=(rows, columns)) < 0.2)
    x = cp.Variable(columns, bounds=[0, 5], name="x")
    capacity = cp.Parameter(rows, nonneg=True, name="capacity", value=np.full(rows, 4.0))
    room = A @ x <= capacity
    most = lx.Subproblem("most", cp.Maximize(rng.uniform(1, 2, columns) @ x), [room])
    least = cp.Variable(name="least")
    even = lx.Subproblem(
        "even", cp.Maximize(least), [room, x >= least, cp.sum(x) >= 0.01 * most.optimum]
    )
    return lx.Program(lx.Stage("first", most), lx.Stage("second", even)), capacity


def test_warm_solves_agree_with_cold_ones_along_a_path_of_parameters():
    program, capacity = plant()
    for step in range(5):
        capacity.value = np.full(capacity.size, 4.0 + 0.1 * step)
        warm, cold = program.solve("HIGHS", warm=True), program.solve("HIGHS")
        for name in warm:
            assert warm[name].value == pytest.approx(cold[name].value, rel=1e-9)
            assert warm[name].certificate.passed


def test_a_warm_start_takes_fewer_iterations():
    program, capacity = plant()
    first = program.solve("HIGHS", warm=True)
    capacity.value = capacity.value * 1.001
    again = program.solve("HIGHS", warm=True)
    assert again["most"].iterations < first["most"].iterations / 2


def test_a_cold_solve_does_not_depend_on_warm_ones_before_it():
    program, capacity = plant()
    before = program.solve("HIGHS")["most"]["x"]
    capacity.value = capacity.value + 1.0
    program.solve("HIGHS", warm=True)
    capacity.value = capacity.value - 1.0
    assert np.array_equal(program.solve("HIGHS")["most"]["x"], before)


def test_the_latest_bases_are_kept_and_only_such_as_were_near():
    warm = WarmHighs()
    near = SimpleNamespace(warm=True, iterations=1, row_dual=np.zeros(0))
    for k in range(LATEST + 3):
        warm._keep("p", k, near)
    assert warm.kept["p"] == [LATEST + 2 - k for k in range(LATEST)]
    far = SimpleNamespace(warm=True, iterations=2, row_dual=np.zeros(0))
    cold = SimpleNamespace(warm=False, iterations=1, row_dual=np.zeros(0))
    for other in (far, cold):
        warm._keep("q", 0, other)
    assert "q" not in warm.kept


def test_a_face_that_nobody_has_here_must_be_found_here():
    warm = WarmHighs()
    assert warm.needs("a")
    warm.chains = {("a", "b"): SimpleNamespace(members=("a", "b"), faces={"a": 1})}
    assert [warm.needs(name) for name in "abc"] == [False, True, True]
    warm.chains["a", "d"] = SimpleNamespace(members=("a", "d"), faces={})
    assert warm.needs("a")


def task(least, still=None):
    """Least x + y over x + y >= least, x >= 1 if that is given."""
    x = cp.Variable(2, name="x", bounds=[0, 9])
    rows = [cp.sum(x) >= least] if still is None else [cp.sum(x) >= least, x[0] >= still]
    problem = lx.Subproblem("p", cp.Minimize(x[0] + 2 * x[1]), rows)
    return prepare(problem, Strategy(lx.Solver("HIGHS")), {})


def test_what_has_no_optimum_is_told_and_spoils_nothing():
    warm = WarmHighs()
    assert warm.run(task(4.0)).value == pytest.approx(4.0)
    none = warm.run(task(40.0))
    assert none.status.is_infeasible
    assert "nfeasible" in none.said
    assert 0.0 <= none.seconds < 60.0
    assert warm.run(task(12.0)).value == pytest.approx(9 + 2 * 3)
    assert warm.found.total() == 2
    assert warm.found["cold"] == 1


def test_points_that_others_use_are_found_cold_where_there_are_several():
    x = cp.Variable(2, name="x", bounds=[0, 9])
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(x)), [cp.sum(x) >= 4])
    several = prepare(problem, Strategy(lx.Solver("HIGHS")), {})
    warm = WarmHighs(only=frozenset("p"))
    for turn in (1, 2, 3):
        assert warm.run(several).value == pytest.approx(4.0)
        assert dict(warm.found) == {"cold": turn}
    free = WarmHighs()
    for _ in range(3):
        assert free.run(several).value == pytest.approx(4.0)
    assert free.found["cold"] == 1


def test_a_basis_of_another_shape_is_forgotten_and_one_of_the_same_is_not():
    warm = WarmHighs()
    assert warm.run(task(4.0)).value == pytest.approx(4.0)
    assert warm.run(task(4.0, still=1.0)).value == pytest.approx(4.0)
    assert warm.run(task(4.0, still=5.0)).value == pytest.approx(5.0)
    assert (warm.found["cold"], warm.found.total()) == (2, 3)
    assert 0.0 < warm.run(task(6.0)).seconds < 60.0


def test_bases_that_never_fit_are_tried_now_and_then_and_those_that_do_always(monkeypatch):
    for name, value in (("EARLY", 2), ("FAIR", 4), ("AGAIN", 3)):
        monkeypatch.setattr(warm_module, name, value)
    luck = warm_module._Luck()
    # Two early tries, then every third chance; what is not there is no chance.
    assert [luck.is_tried(there) for there in [True] * 4 + [False] + [True] * 5] == [
        True, True, True, False, False, False, True, False, False, True
    ]  # fmt: skip
    assert (luck.chances, luck.tries, luck.hits) == (9, 5, 0)
    luck.hits = 1  # one of five is too few if one of four is fair
    assert not luck.is_tried(True)
    luck.hits = 2
    assert luck.is_tried(True)
    assert not luck.is_tried(False)
