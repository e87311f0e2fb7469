"""No proof passes that is none: each true one, changed a little, is refused."""

from dataclasses import replace

import pytest

from lexiprog.rational.basis import Basis
from lexiprog.rational.numbers import Vector
from lexiprog.rational.program import ExactLP, IntegerProgram
from lexiprog.rational.prover import NotProved, verify
from lexiprog.rational.simplex import Simplex

PROGRAMS = {
    "optimal": ExactLP.of([-1, -1], [[1, 2], [3, 1]], [4, 6], lower=[0, 0]),
    "infeasible": ExactLP.of([1, 1], [[1, 1], [-1, -2]], [1, -5], lower=[0, 0]),
    "unbounded": ExactLP.of([-1, 0], [[1, -1]], [2], lower=[0, 0]),
}
VECTORS = {"optimal": ["point", "reduced"], "infeasible": ["ray"], "unbounded": ["point", "ray"]}


def proved(kind):
    program = IntegerProgram(PROGRAMS[kind])
    cost, _ = program.cost(PROGRAMS[kind].c)
    simplex = Simplex(program.matrix, cost, program.lower, program.upper)
    found = simplex.run(Basis.of_rows(program.matrix, program.lower, program.upper))
    assert found.kind == kind
    return found, (program.matrix, cost, program.lower, program.upper)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_true_proof_passes(kind):
    found, program = proved(kind)
    verify(found, *program)


@pytest.mark.parametrize(
    ("kind", "vector", "place"),
    [(kind, vector, k) for kind, names in VECTORS.items() for vector in names for k in range(3)],
)
def test_a_changed_entry_is_refused(kind, vector, place):
    found, program = proved(kind)
    true = getattr(found, vector)
    tops = list(true.numerators)
    tops[place] += true.denominators[place]
    changed = replace(found, **{vector: Vector(tops, true.denominators)})
    with pytest.raises(NotProved):
        verify(changed, *program)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_claim_for_another_program_is_refused(kind):
    found, (matrix, cost, lower, upper) = proved(kind)
    others = {
        "optimal": (matrix, [c + 1 for c in cost], lower, upper),
        "infeasible": (matrix, cost, [-9, None, None, None], upper),
        "unbounded": (matrix, [-c for c in cost], lower, upper),
    }
    with pytest.raises(NotProved):
        verify(found, *others[kind])


def test_a_feasible_point_with_a_way_to_improve_is_no_optimum():
    found, (matrix, cost, lower, upper) = proved("optimal")
    nothing = [0] * matrix.n
    at_zero = Simplex(matrix, nothing, lower, upper).run(Basis.of_rows(matrix, lower, upper))
    with pytest.raises(NotProved, match=r"could still improve|reduced cost"):
        verify(replace(found, point=at_zero.point), matrix, cost, lower, upper)


def test_a_direction_that_meets_a_limit_is_refused():
    found, (matrix, cost, lower, upper) = proved("unbounded")
    with pytest.raises(NotProved, match="for ever"):
        verify(found, matrix, cost, lower, [100, *upper[1:]])
