"""A vertex on a face that misses its rows is refused, or doubted if nobody comes after it."""

from dataclasses import replace

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.refinement import DOUBT, MISSED
from lexiprog.certify.measures import measure
from lexiprog.compile.task import Strategy, prepare
from lexiprog.model.lock import NO_SLACK
from lexiprog.solve.face import FaceOptimum
from lexiprog.solve.strategies import Backends
from lexiprog.status import Status


def chain(levels, rows, solver="HIGHS"):
    program = lx.preemptive(levels, rows)
    ladders = {name: (lx.Solver(solver),) for name in levels}
    return program, Backends.of(program.stages, ladders, NO_SLACK, None)


def run(program, runners, name, strategy, solved):
    backend = runners.backend(program[name], strategy)
    task = prepare(program[name], strategy, solved, compiler=backend.compile)
    answer = backend.run(task)
    backend.accepted(task, answer)
    return answer


@pytest.mark.parametrize(
    ("refined", "strict", "taken"),
    [(False, False, False), (False, True, False), (True, True, False), (True, False, True)],
)
def test_what_misses_its_rows_is_taken_only_with_doubt_and_only_at_the_end(
    monkeypatch, refined, strict, taken
):
    x = cp.Variable(2, bounds=[0, 4], name="x")
    program, runners = chain(
        {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}, [x[0] + 2 * x[1] <= 8]
    )
    on_face = Strategy(lx.Solver("HIGHS"), "face", backend="face chain")
    strategy = replace(on_face, refined=refined, strict=strict)
    solved = program.solve()
    fine = run(program, runners, "a", strategy, {})
    assert (fine.value, fine.inaccurate) == (pytest.approx(4.0), "")
    of = FaceOptimum.of
    missed = classmethod(lambda cls, *given: replace(of(*given), missed=True))
    monkeypatch.setattr(FaceOptimum, "of", missed)
    backend = runners.backend(program["b"], strategy)
    answer = backend.run(prepare(program["b"], strategy, solved, compiler=backend.compile))
    if taken:
        assert (answer.value, answer.status, answer.inaccurate) == (2.0, Status.OPTIMAL, DOUBT)
    else:
        assert (answer.status, answer.reason) == (Status.FAILED, MISSED)


@pytest.mark.parametrize("shift", [0.0, 1.0, -3.0])
def test_exact_levels_prove_themselves_with_a_row_for_each_that_they_hold(shift):
    """The first optimum is zero for a shift of zero, and is held as exactly then."""
    pytest.importorskip("flint")
    x = cp.Variable(3, bounds=[0, 4], name="x")
    levels = {
        "a": cp.Minimize(x[0] + x[1] + shift),
        "b": cp.Maximize(x[1] - 2 * x[0] + shift),
        "c": cp.Maximize(x[0] + x[1] + x[2]),
    }
    program, runners = chain(levels, [x[0] + x[2] <= 3, x[1] + x[2] <= 5], "EXACT")
    solved = program.solve("EXACT")
    answers = {}
    for name in levels:
        answers[name] = run(program, runners, name, Strategy(lx.Solver("EXACT")), solved)
    assert [answer.value for answer in answers.values()] == pytest.approx([shift, shift, 3.0])
    for place, answer in enumerate(answers.values()):
        form = answer.form
        assert form.cones.linear == form.b.size == form.A.shape[0] == answer.z.size
        assert form.b.size - answers["a"].form.b.size == place
        assert answer.held.effects == dict.fromkeys("abc"[:place], 0.0)
        checked = measure(form, answer.x, answer.z, claimed=answer.claimed)
        assert checked.certificate.proved
        assert checked.certificate.worst <= 1e-12


def test_more_digits_are_asked_of_the_faces_that_are_held_too():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0] / 3), "b": cp.Maximize(x[1])}
    program, runners = chain(levels, [x[0] + 2 * x[1] <= 8])
    solved = program.solve()
    plain = Strategy(lx.Solver("HIGHS"), "face", backend="face chain")
    run(program, runners, "a", plain, {})
    faces = runners.chains["a"].faces
    assert not faces["a"].refined
    assert run(program, runners, "b", plain, solved).held.effects == {}
    assert not faces["a"].refined
    answer = run(program, runners, "b", replace(plain, refined=True), solved)
    assert faces["a"].refined
    assert (answer.value, answer.held.effects) == (pytest.approx(2.0, rel=1e-15), {"a": 0.0})


@pytest.mark.parametrize("apart", [1e-10, 1e-12, 1e-13])
def test_what_more_digits_say_of_a_face_counts_though_it_was_known_with_fewer(apart):
    """The first level is a little worse for all of x[1], of which so nothing is left."""
    x = cp.Variable(2, bounds=[0, 1], name="x")
    levels = {"a": cp.Maximize(x[0] + (1 - apart) * x[1]), "b": cp.Maximize(x[1])}
    program, runners = chain(levels, [x[0] + x[1] <= 1])
    solved = program.solve()
    plain = Strategy(lx.Solver("HIGHS"), "face", backend="face chain")
    for name in levels:
        run(program, runners, name, plain, solved)
    answer = run(program, runners, "b", replace(plain, refined=True), solved)
    assert answer.value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("maximise", [False, True])
def test_held_objectives_are_told_at_the_point_as_the_user_wrote_them(maximise):
    x = cp.Variable(2, bounds=[1, 4], name="x")
    first = cp.Maximize(3 - x[0]) if maximise else cp.Minimize(3 + x[0])
    program, runners = chain({"a": first, "b": cp.Maximize(x[1])}, [cp.sum(x) <= 6])
    solved = program.solve()
    strategy = Strategy(lx.Solver("HIGHS"), "face", backend="face chain")
    assert run(program, runners, "a", strategy, {}).held.values == {}
    assert run(program, runners, "b", strategy, solved).held.values == {
        "a": pytest.approx(solved["a"].value)
    }
    assert solved["a"].value == pytest.approx(2.0 if maximise else 4.0)
