"""Optima on curves are held by their face: what follows is right, not only nearly so."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.clarabel import solve_conic
from lexiprog.compile.task import Strategy, prepare
from lexiprog.cvxpy_adapter import columns_of
from lexiprog.solve.conic_face import ConicFace
from tests.lexiprog.small_programs import cylinder


def test_the_second_coordinate_of_the_disks_right_end_is_zero():
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    up = lx.preemptive(levels, [cp.norm(x) <= 1]).solve()["up"]
    assert (up.status, up.locks[0].kind) == ("optimal", "face")
    assert up.value == pytest.approx(0.0, abs=1e-8)
    assert up.price("right") == np.inf  # the first bit of slack buys its root


def test_a_third_level_holds_both_faces():
    """On a cylinder the first level leaves a line, the second one end of it."""
    result = cylinder().solve()
    assert [s.value for s in result.values()] == pytest.approx([2, 4, 4], abs=1e-7)
    assert {s.status for s in result.values()} == {"optimal"}


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_units_do_not_matter_on_a_face(unit):
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    up = lx.preemptive(levels, [cp.norm(x) <= unit]).solve()["up"]
    assert up.status == "optimal"
    assert up.value / unit == pytest.approx(0.0, abs=1e-7)


def test_a_lock_with_a_tolerance_is_a_bound_with_a_price():
    x = cp.Variable(2, name="x")
    right = lx.Subproblem("right", cp.Maximize(x[0]), [cp.norm(x) <= 1])
    up = lx.Subproblem("up", cp.Maximize(x[1]), [cp.norm(x) <= 1, right.held(atol=0.1)])
    found = lx.Program(lx.Stage("1", right), lx.Stage("2", up)).solve()["up"]
    assert found.locks[0].kind == "value"
    assert found.value == pytest.approx(np.sqrt(0.19), abs=1e-6)
    assert found.price("right") == pytest.approx(0.9 / np.sqrt(0.19), rel=1e-4)


def test_a_square_of_half_planes_has_a_face_of_its_own_and_a_price():
    x = cp.Variable(2, name="x")
    limits = [cp.norm(x - np.array([0.0, 9.0])) <= 20, x <= 3, x >= 0, x[0] + x[1] <= 4]
    levels = {"first": cp.Maximize(x[0]), "second": cp.Maximize(x[1])}
    found = lx.preemptive(levels, limits).solve()["second"]
    assert (found.value, found.status) == (pytest.approx(1.0, abs=1e-7), "optimal")
    assert found.price("first") == pytest.approx(1.0, abs=1e-5)


def test_a_face_that_is_not_there_is_said_within_the_time_it_took():
    """The lock is far from the least that it can be, so that it leaves no face."""
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [cp.norm(x) <= 1])
    solved = dict(program.solve())
    backend = ConicFace()
    solved["right"] = replace(solved["right"], value=0.5)
    strategy = Strategy(lx.Solver("CLARABEL"), "face")
    answer = backend.run(prepare(program["up"], strategy, solved, compiler=backend.compile))
    assert "not at its end" in answer.reason
    assert 0.0 < answer.seconds < 60.0


def test_a_face_on_which_nobody_finds_an_optimum_is_said_to_be_one(monkeypatch):
    """Only the problem on the face has equations here."""
    monkeypatch.setattr(
        "lexiprog.solve.conic_face.solve_conic",
        lambda form, *deadline: None if form.cones.zero else solve_conic(form, *deadline),
    )
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [cp.norm(x) <= 1])
    backend, strategy = ConicFace(), Strategy(lx.Solver("CLARABEL"), "face")
    solved = {"right": program.solve()["right"]}
    answer = backend.run(prepare(program["up"], strategy, solved, compiler=backend.compile))
    assert (answer.x, answer.reason) == (None, "no optimum on the optimal face")


def test_a_point_to_start_from_is_sought_where_there_is_room_for_one(monkeypatch):
    """A millionth left of the disk's right end lies inside all that the first solve asks for."""
    asked = []
    monkeypatch.setattr(
        "lexiprog.solve.conic_face.solve_conic",
        lambda form, *deadline: asked.append(form) or solve_conic(form, *deadline),
    )
    x = cp.Variable(2, name="x")
    levels = {"right": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [cp.norm(x) <= 1])
    backend, strategy = ConicFace(), Strategy(lx.Solver("CLARABEL"), "face")
    task = prepare(
        program["up"], strategy, {"right": program.solve()["right"]}, compiler=backend.compile
    )
    asked.clear()
    assert backend.run(task).value == pytest.approx(0.0, abs=1e-8)
    inside = np.full(asked[0].c.size, 1.0 - 5e-7)  # the norm, which has a column of its own
    inside[columns_of(task.native)[x.id]] = 1.0 - 1e-6, 0.0
    slack = asked[0].slack(inside / task.native.scaling.columns)
    head, *tail = slack[asked[0].cones.linear :]
    assert (slack[: asked[0].cones.linear] > 0.0).all()
    assert head > np.linalg.norm(tail)
