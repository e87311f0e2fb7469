"""Exact pivots alone, from bases that nobody recommended."""

import random
from fractions import Fraction

import numpy as np
import pytest

from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.rational import simplex as simplex_module
from lexiprog.rational.basis import BASIC, ZERO, Basis
from lexiprog.rational.program import ExactLP, IntegerProgram
from lexiprog.rational.prover import verify
from lexiprog.rational.simplex import Simplex
from tests.lexiprog.rational.programs import by_z3, random_lp


def started(lp):
    program = IntegerProgram(lp)
    cost, units = program.cost(lp.c)
    return program, cost, units, Simplex(program.matrix, cost, program.lower, program.upper)


def value(lp, program, cost, units, found):
    top, bottom = found.point.dot(range(program.matrix.n), cost)
    return Fraction(int(top), int(bottom) * units) + lp.offset


@pytest.mark.parametrize("patience", [simplex_module.PATIENCE, -1], ids=["usual", "Bland's rule"])
@pytest.mark.parametrize("first_seed", range(0, 120, 40))
def test_from_any_basis_the_end_is_the_one_that_z3_finds(first_seed, patience, monkeypatch):
    monkeypatch.setattr(simplex_module, "PATIENCE", patience)
    pivots = 0
    for seed in range(first_seed, first_seed + 40):
        rng = random.Random(seed)
        lp = random_lp(rng)
        program, cost, units, simplex = started(lp)
        if seed % 2:
            start = Basis.of_rows(program.matrix, program.lower, program.upper)
        else:  # any choice at all, dependent or of another size
            size = program.matrix.n + program.matrix.m
            places = np.array([rng.choice([BASIC, ZERO]) for _ in range(size)], dtype=np.int8)
            start = Basis(places).settled(program.lower, program.upper)
        found = simplex.run(start)
        verify(found, program.matrix, cost, program.lower, program.upper)
        status, optimum = by_z3(lp)
        assert found.kind == status
        if status == "optimal":
            assert value(lp, program, cost, units, found) == optimum
        pivots += simplex.pivots
    assert pivots > 40


def beale():
    """Beale's example, on which the largest reduced cost cycles for ever without a safe rule."""
    c = [Fraction(-3, 4), 150, Fraction(-1, 50), 6]
    A = [
        [Fraction(1, 4), -60, Fraction(-1, 25), 9],
        [Fraction(1, 2), -90, Fraction(-1, 50), 3],
        [0, 0, 1, 0],
    ]
    return ExactLP.of(c, A, [0, 0, 1], lower=[0] * 4)


def test_beales_example_ends():
    lp = beale()
    program, cost, units, simplex = started(lp)
    found = simplex.run(Basis.of_rows(program.matrix, program.lower, program.upper))
    assert value(lp, program, cost, units, found) == Fraction(-1, 20)


def klee_minty(n):
    """The largest of all vertices is 5**n; a long way for careless rules."""
    A = [[2 ** (i - j + 1) if j < i else int(j == i) for j in range(n)] for i in range(n)]
    return ExactLP.of(
        [-(2 ** (n - 1 - j)) for j in range(n)],
        A,
        [5 ** (i + 1) for i in range(n)],
        lower=[0] * n,
    )


def test_a_long_way_is_gone_to_its_end():
    lp = klee_minty(4)
    program, cost, units, simplex = started(lp)
    found = simplex.run(Basis.of_rows(program.matrix, program.lower, program.upper))
    assert value(lp, program, cost, units, found) == -(5**4)


def test_a_deadline_that_has_passed_stops_it():
    program, _, _, simplex = started(klee_minty(4))
    simplex.deadline = Deadline(0.0)
    with pytest.raises(OutOfTime):
        simplex.run(Basis.of_rows(program.matrix, program.lower, program.upper))
