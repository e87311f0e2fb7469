"""A digest is the same for the same declaration in any process, and another for any change."""

import json
import subprocess
import sys

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.results import fingerprint
from lexiprog.results.fingerprint import Fingerprint, fingerprint_of, fresh_fingerprint
from tests.lexiprog.results.declarations import KINDS, digests, minimised, x

SOLVED = [name for name in KINDS if name not in ("a complex number", "a finite set")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_number_changes_the_digest_and_nothing_else_does(kind):
    make = KINDS[kind]
    one, same, other = (
        fingerprint_of(make(2.0)),
        fingerprint_of(make(2.0)),
        fingerprint_of(make(1.0)),
    )
    assert one == same
    assert one.whole != other.whole
    assert not one.difference(same, make(2.0))
    assert one.difference(other, make(1.0)) != "its data changed"


def test_another_process_finds_the_same_digests():
    script = [sys.executable, "-m", "tests.lexiprog.results.declarations"]
    found = subprocess.run(script, capture_output=True, check=True, text=True)
    assert json.loads(found.stdout) == digests()


@pytest.mark.parametrize("kind", SOLVED)
def test_solving_leaves_the_digest_as_it_was(kind):
    problem = KINDS[kind](2.0)
    before = fresh_fingerprint(problem)
    cp.Problem(problem.objective, list(problem.constraints)).solve(gp=problem.gp)
    assert fresh_fingerprint(problem) == before


def test_the_part_that_changed_is_named():
    def problem(cost=1.0, need=1.0, top=9.0):
        v = x(bounds=[0, top])
        return minimised(cost * v[0] + v[1], cp.sum(v) >= need, v[1] <= 3)

    base = fingerprint_of(problem())
    for changed, words in [
        ({"cost": 2.0}, "its objective, minimize 2 * x[0] + x[1], is another"),
        ({"need": 2.0}, "constraint 1, 2 <= sum(x), is another"),
        ({"top": 8.0}, "its variables have other attributes or bounds"),
    ]:
        assert base.difference(fingerprint_of(problem(**changed)), problem(**changed)) == words
    several = problem(cost=2.0, need=2.0, top=8.0)
    assert base.difference(fingerprint_of(several), several).count("; ") == 2


def test_whole_numbers_integers_and_negative_zeros_are_the_same():
    def problem(t, zero):
        return minimised(cp.sum(v := x()), v >= t, v[0] >= np.array(zero))

    one = fingerprint_of(problem(5, 0.0))
    assert one == fingerprint_of(problem(5.0, -0.0)) == fingerprint_of(problem(np.float32(5), 0))


def test_another_version_of_cvxpy_is_blamed_if_it_may_be_the_reason():
    problem = KINDS["a constant"](2.0)
    now = fingerprint_of(problem)
    old = Fingerprint("0" * 32, now.objective, now.variables, now.constraints, "1.0.0")
    assert "CVXPY 1.0.0" in old.difference(now, problem)


def test_what_cannot_be_read_is_equal_to_itself_alone():
    class Odd:
        """No CVXPY object and no number."""

    class Strange(cp.exp):
        def __init__(self, argument, odd):
            self.odd = odd
            super().__init__(argument)

        def get_data(self):
            return [self.odd]

    odd, other = Odd(), Odd()
    v = x()
    one = fingerprint._Reader(minimised(cp.sum(v), v >= 1))
    assert one.read(Strange(v, odd)) == one.read(Strange(v, odd))
    assert one.read(Strange(v, odd)) != one.read(Strange(v, other))


def test_a_large_constant_is_read_once():
    data = np.arange(5000.0)
    constant, v = cp.Constant(data), x(5000)
    problems = [minimised(cp.sum(v), v >= constant, v[k] >= 0) for k in range(2)]
    first = fingerprint_of(problems[0])
    assert fingerprint._CONSTANTS.get(constant) is not None
    assert fingerprint_of(problems[1]).constraints[0] == first.constraints[0]


def test_a_solution_s_digest_does_not_depend_on_its_solver():
    program = lx.Program(lx.Stage("only", KINDS["a constant"](2.0)))
    found = [program.solve(solver)["p"].digest for solver in ("HIGHS", "CLARABEL")]
    assert found[0] == found[1] == fingerprint_of(KINDS["a constant"](2.0))
