"""Exact answers with their proofs, against z3 and by hand."""

import pickle
import random
from collections import Counter
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.rational.basis import ExactFace
from lexiprog.rational.program import ExactLP
from lexiprog.rational.prover import Prover
from tests.lexiprog.rational.programs import KINDS, assert_proved, by_z3, random_lp


def survey(seeds, kind):
    """Solve, check and compare random programs; how each ended."""
    ends = Counter()
    for seed in seeds:
        lp = random_lp(random.Random(f"{kind} {seed}"), kind)
        outcome = Prover(lp).minimise()
        assert_proved(lp, outcome)
        status, optimum = by_z3(lp)
        if status != "unknown":
            assert (outcome.status, outcome.value) == (status, optimum), seed
        ends[outcome.status] += 1
    return ends


@pytest.mark.parametrize("kind", KINDS)
def test_every_random_program_ends_as_z3_says_with_a_proof(kind):
    ends = survey(range(60), kind)
    assert all(ends[status] >= 3 for status in ("optimal", "infeasible", "unbounded")), ends


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_every_random_program_ends_as_z3_says_in_thousands(kind):
    survey(range(1000, 3000), kind)


def test_a_program_worked_by_hand():
    # x + 2y <= 4 and 3x + y <= 6 cross at (8/5, 6/5).
    lp = ExactLP.of([-1, -1], [[1, 2], [3, 1]], [4, 6], lower=[0, 0], offset=0.1)
    outcome = Prover(lp).minimise()
    assert outcome.value == Fraction(1, 10) - Fraction(14, 5)
    assert outcome.x == [Fraction(8, 5), Fraction(6, 5)]
    assert outcome.y == [Fraction(2, 5), Fraction(1, 5)]
    assert outcome.reduced == [0, 0]
    assert outcome.face == ExactFace({}, frozenset({0, 1}))
    assert outcome.tight.rows == {0, 1}


@pytest.mark.parametrize(
    ("lp", "status", "value"),
    [
        (ExactLP.of([], None, []), "optimal", 0),
        (ExactLP.of([], [[]], [0], zero=1, offset=3), "optimal", 3),
        (ExactLP.of([], [[]], [1], zero=1), "infeasible", None),
        (ExactLP.of([], [[]], [-1]), "infeasible", None),
        (ExactLP.of([2, -3], None, [], lower=[1, 0], upper=[4, 5]), "optimal", -13),
        (ExactLP.of([2, 0], None, [], upper=[4, 5]), "unbounded", None),
        (ExactLP.of([0, 0], None, []), "optimal", 0),
        (ExactLP.of([1], [[0]], [-1], lower=[0]), "infeasible", None),
        (ExactLP.of([1], [[0]], [1], lower=[0]), "optimal", 0),
        (ExactLP.of([1, 1], [[1, 1], [2, 2], [1, 1]], [2, 4, 2], zero=3), "optimal", 2),
        (ExactLP.of([1, 1], [[1, 1], [2, 2]], [2, 5], zero=2), "infeasible", None),
        (ExactLP.of([1, -1], [[1, 1]], [2], zero=1), "unbounded", None),
        (ExactLP.of([5], [[3]], [7], zero=1, lower=[2], upper=[3]), "optimal", Fraction(35, 3)),
        (ExactLP.of([5], [[3]], [7], lower=[3], upper=[3]), "infeasible", None),
        (ExactLP.of([5], [[3]], [9], lower=[3], upper=[3]), "optimal", 15),
        (ExactLP.of([1], [[1]], [9], lower=[4], upper=[3]), "infeasible", None),
    ],
)
def test_corner_cases(lp, status, value):
    outcome = Prover(lp).minimise()
    assert (outcome.status, outcome.value) == (status, value)
    assert_proved(lp, outcome)


def test_a_crossed_bound_is_named():
    assert Prover(ExactLP.of([1, 1], None, [], lower=[0, 2], upper=[1, 1])).minimise().crossed == 1


def test_units_do_not_matter():
    """Rows of 1e-30..1e30, columns of 1e-20..1e20, an objective of 1e-40: the same optimum."""
    rng = random.Random(6)
    for _ in range(20):
        lp = random_lp(rng, "whole")
        rows = [Fraction(10) ** rng.randint(-30, 30) for _ in lp.b]
        columns = [Fraction(10) ** rng.randint(-20, 20) for _ in lp.c]
        price = Fraction(10) ** rng.randint(-40, 40)

        def divided(values, by=columns):
            return tuple(None if v is None else v / u for v, u in zip(values, by, strict=True))

        other = ExactLP(
            tuple(price * c * u for c, u in zip(lp.c, columns, strict=True)),
            tuple(
                (places, tuple(r * v * columns[j] for j, v in zip(places, values, strict=True)))
                for r, (places, values) in zip(rows, lp.rows, strict=True)
            ),
            tuple(r * b for r, b in zip(rows, lp.b, strict=True)),
            lp.zero,
            divided(lp.lower),
            divided(lp.upper),
            price * lp.offset,
        )
        first, second = Prover(lp).minimise(), Prover(other).minimise()
        assert_proved(other, second)
        assert first.status == second.status
        if first.value is not None:
            assert second.value == price * first.value


def sparse_form(rows, seed, *, equations):
    """Twice as many columns as rows, six decimals a row, feasible and bounded."""
    rng = np.random.default_rng(seed)
    columns = 2 * rows
    places = np.concatenate([rng.choice(columns, 6, replace=False) for _ in range(rows)])
    values = np.round(rng.uniform(-5, 10, 6 * rows), 3)
    A = sp.csr_array((values, places, np.arange(0, 6 * rows + 1, 6)), shape=(rows, columns))
    inside = np.round(rng.uniform(0, 5, columns), 2)
    b = np.round(A @ inside + (0 if equations else rng.uniform(0, 3, rows)), 5)
    return StandardForm(
        np.round(rng.uniform(-5, 5, columns), 3), 0.0, A, b,
        Cones(zero=rows) if equations else Cones(nonneg=rows),
        lower=np.zeros(columns), upper=np.full(columns, 10.0),
    )  # fmt: skip


@pytest.mark.parametrize("equations", [False, True])
def test_hundreds_of_rows_are_proved_and_near_what_cvxpy_finds(equations):
    form = sparse_form(250, 8, equations=equations)
    lp = ExactLP.from_form(form)
    outcome = Prover(lp).minimise()
    assert_proved(lp, outcome)
    assert outcome.effort.core > 20
    x = cp.Variable(500, bounds=[0, 10])
    rows = form.A @ x == form.b if equations else form.A @ x <= form.b
    assert cp.Problem(cp.Minimize(form.c @ x), [rows]).solve("CLARABEL") == pytest.approx(
        float(outcome.value), rel=1e-6
    )


@pytest.mark.parametrize("limit", [0.0, 1e-9])
def test_out_of_time_nothing_is_claimed(limit):
    lp = ExactLP.from_form(sparse_form(60, 3, equations=True))
    outcome = Prover(lp, time_limit=limit).minimise()
    assert outcome.status == "time_limit"
    assert outcome.value is outcome.x is outcome.y is None


def test_an_outcome_survives_pickling():
    lp = ExactLP.of([-1, -1], [[1, 2], [3, 1]], [4, 6], lower=[0, 0])
    outcome = Prover(lp).minimise()
    again = pickle.loads(pickle.dumps(outcome))
    assert (again.value, again.x, again.y, again.face) == (
        outcome.value, outcome.x, outcome.y, outcome.face
    )  # fmt: skip
    assert Prover(lp).minimise(start=again.basis).value == outcome.value


def test_a_face_that_fixes_what_has_no_bound_is_refused():
    lp = ExactLP.of([1], None, [], lower=[0])
    with pytest.raises(ValueError, match="Column 0 has no bound"):
        Prover(lp).minimise(face=ExactFace({0: 1}))


def test_what_all_faces_share_is_fixed_by_any_of_them():
    face = ExactFace.common([ExactFace({1: -1}, frozenset({2})), ExactFace({4: 1}, frozenset())])
    assert face == ExactFace({1: -1, 4: 1}, frozenset({2}))


def test_a_float_as_a_cost_is_refused_with_the_way_out():
    with pytest.raises(TypeError, match=r"numbers\.read reads floats"):
        Prover(ExactLP.of([1], None, [], lower=[0])).minimise([0.5])
