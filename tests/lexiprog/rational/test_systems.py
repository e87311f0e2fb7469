"""Exact solutions of whole systems, against Gauss in fractions and against each other."""

import random
from fractions import Fraction

import pytest

from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.rational import systems as factor_module
from lexiprog.rational.numbers import RationalVector, Vector, library
from lexiprog.rational.systems import Factor, Lifting, SingularError


def lines_of(matrix):
    return [
        ([j for j, a in enumerate(row) if a], [a for a in row if a]) for row in matrix
    ]  # fmt: skip


def transpose(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


def gauss(matrix, rhs):
    """The textbook, in fractions; None if singular."""
    table = [[*map(Fraction, row), Fraction(b)] for row, b in zip(matrix, rhs, strict=True)]
    size = len(table)
    for k in range(size):
        pivot = next((i for i in range(k, size) if table[i][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [value / table[k][k] for value in table[k]]
        for i in range(size):
            if i != k and table[i][k]:
                table[i] = [a - table[i][k] * b for a, b in zip(table[i], table[k], strict=True)]
    return [row[-1] for row in table]


def random_matrix(rng, size, entries, largest):
    matrix = [[0] * size for _ in range(size)]
    for i, j in enumerate(rng.sample(range(size), size)):
        matrix[i][j] = rng.randint(1, largest)
    for _ in range(entries):
        matrix[rng.randrange(size)][rng.randrange(size)] = rng.randint(-largest, largest)
    return matrix


def fractions(vector):
    return [
        Fraction(int(a), int(b))
        for a, b in zip(vector.numerators, vector.denominators, strict=True)
    ]


@pytest.fixture(params=[10_000, 0], ids=["dense cores", "lifted cores"])
def _either_core(request, monkeypatch):
    monkeypatch.setattr(factor_module, "DENSE", request.param)


@pytest.mark.usefixtures("_either_core")
@pytest.mark.parametrize("seed", range(25))
def test_a_factor_solves_both_ways_as_gauss_does(seed):
    rng = random.Random(seed)
    size = rng.randint(1, 12)
    matrix = random_matrix(rng, size, 2 * size, 10 ** rng.randint(1, 8))
    rhs = [rng.randint(-50, 50) * (rng.random() < 0.7) for _ in range(size)]
    right = gauss(matrix, rhs)
    if right is None:
        with pytest.raises(SingularError):
            Factor(lines_of(matrix), lines_of(transpose(matrix))).solve([1] * size)
        return
    factor = Factor(lines_of(matrix), lines_of(transpose(matrix)))
    assert fractions(factor.solve(rhs)) == right
    assert fractions(factor.solve_transposed(rhs)) == gauss(transpose(matrix), rhs)


@pytest.mark.parametrize("bits", [5, 28, 45, 90])
def test_lifting_and_flint_agree_on_numbers_of_any_size(bits):
    rng, size = random.Random(bits), 40
    matrix = random_matrix(rng, size, 4 * size, 2**bits)
    rhs = [rng.randint(-(2**70), 2**70) for _ in range(size)]
    numerators, denominator = Lifting(lines_of(matrix)).solve(rhs)
    flint = library()
    exact = flint.fmpz_mat(matrix).solve(flint.fmpz_mat([[value] for value in rhs]))
    assert [flint.fmpq(top, denominator) for top in numerators] == exact.entries()


def nearly_singular(size=20):
    """Two rows that differ by one in 10**18: far beyond what floats can factorise."""
    matrix = random_matrix(random.Random(1), size, 6 * size, 9)
    matrix[1] = [10**18 * value for value in matrix[0]]
    matrix[1][0] += 1
    return matrix


def test_floats_that_are_too_coarse_say_so_and_flint_takes_over(monkeypatch):
    matrix = nearly_singular()
    rhs = list(range(len(matrix)))
    with pytest.raises(ArithmeticError):
        Lifting(lines_of(matrix)).solve(rhs)
    monkeypatch.setattr(factor_module, "DENSE", 0)
    factor = Factor(lines_of(matrix), lines_of(transpose(matrix)))
    assert fractions(factor.solve(rhs)) == gauss(matrix, rhs)


def test_a_deadline_that_has_passed_stops_the_lifting():
    matrix = random_matrix(random.Random(5), 30, 120, 1000)
    with pytest.raises(OutOfTime):
        Lifting(lines_of(matrix)).solve([1] * 30, deadline=Deadline(0.0))


def test_sums_over_shared_and_different_denominators_are_exact():
    fmpz = library().fmpz
    three, five = fmpz(3), fmpz(5)
    vector = Vector([fmpz(1), fmpz(2), fmpz(4), fmpz(0)], [three, three, five, fmpz(7)])
    top, bottom = vector.dot([0, 1], [2, 5], 1)
    assert (int(top), bottom) == (15, three)
    top, bottom = vector.dot([0, 2, 3], [1, -1, 8], -2)
    assert Fraction(int(top), int(bottom)) == Fraction(1, 3) - Fraction(4, 5) - 2
    assert [int(value) for value in vector.dot([], [], 4)] == [4, 1]


def test_a_rational_vector_is_a_sequence_of_fractions():
    vector = RationalVector([2, -3, 0], [4, 1, 9])
    assert vector == [Fraction(1, 2), Fraction(-3), Fraction(0)]
    assert vector[1:] == [Fraction(-3), Fraction(0)]
    assert vector[-1] == 0
    assert vector == RationalVector([1, -6, 0], [2, 2, 1])
    assert hash(vector) == hash(RationalVector([1, -6, 0], [2, 2, 1]))
    assert vector.nonzero.tolist() == [True, True, False]
    assert vector.floats().tolist() == [0.5, -3.0, 0.0]
    assert vector != [1, 2]
    assert vector != 3


def test_without_flint_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "flint", None)
    with pytest.raises(ImportError, match=r"pip install 'lexiprog\[exact\]'"):
        library()
