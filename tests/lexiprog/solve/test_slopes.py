"""How much an error in what is read may change a value: slopes of the Lagrangian, by hand."""

from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

from lexiprog.model.references import ReferenceKind
from lexiprog.solve.error_propagation import _effect, _pairing, _Slopes


class Straight(_Slopes):
    """A Lagrangian of known slopes."""

    def __init__(self, slopes, value):
        self.slopes = np.asarray(slopes, dtype=float)
        self.parameter = cp.Parameter(self.slopes.shape)
        self.task = SimpleNamespace(constants={self.parameter.id: np.asarray(value, dtype=float)})
        self.solution = SimpleNamespace(unit=1.0, size=1.0)

    def _lagrangian(self, parameter):
        return lambda at: float(np.sum(self.slopes * at))

    def of(self, unknown, unit=1.0):
        return self.effect(self.parameter, unit, np.asarray(unknown, dtype=float))


def test_errors_count_by_the_slope_of_their_own_entry():
    line = Straight([2.0, -3.0, 0.0], [1.0, 1e6, 5.0])
    assert line.of([1e-3, 0.0, 0.0]) == pytest.approx(2e-3, rel=1e-6)
    assert line.of([0.0, 1e-3, 0.0]) == pytest.approx(3e-3, rel=1e-6)
    assert line.of([1e-3, 1e-3, 7.0]) == pytest.approx(5e-3, rel=1e-6)
    assert line.of([0.0, 0.0, 0.0]) == 0.0


def test_of_an_entry_of_which_nothing_is_known_only_its_slope_is_asked():
    line = Straight([2.0, -3.0, 0.0], [1.0, 1.0, 1.0])
    assert line.of([1e-3, 0.0, np.inf]) == pytest.approx(2e-3, rel=1e-6)
    assert line.of([1e-3, np.inf, 0.0]) == np.inf


def test_entries_of_a_matrix_keep_their_places():
    line = Straight([[0.0, 5.0], [0.0, 0.0]], np.ones((2, 2)))
    assert line.of([[0.0, 1e-3], [0.0, 0.0]]) == pytest.approx(5e-3, rel=1e-6)
    assert line.of([[0.0, 0.0], [1e-3, 0.0]]) == pytest.approx(0.0, abs=1e-9)


def test_what_a_constraint_adds_is_its_multiplier_times_what_it_misses():
    x = cp.Variable(2)
    x.value = np.array([1.0, 4.0])
    assert _pairing(x <= 3, np.array([2.0, 5.0]), gp=False) == pytest.approx(2 * -2 + 5 * 1)
    assert _pairing(x == 3, np.array([2.0, 5.0]), gp=False) == pytest.approx(2 * -2 + 5 * 1)
    assert _pairing(cp.NonNeg(x - 3), np.array([2.0, 5.0]), gp=False) == pytest.approx(4 - 5)
    assert _pairing(cp.Zero(x - 3), np.array([2.0, 5.0]), gp=False) == pytest.approx(-4 + 5)
    assert _pairing(cp.SOC(x[0], x), [np.ones(1), np.ones(2)], gp=False) == 0.0
    assert _pairing(x <= 2, np.array([1.0, 1.0]), gp=True) == pytest.approx(
        np.log(0.5) + np.log(2.0)
    )


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_solve_of_our_own_is_made_only_where_a_glance_is_not_enough(monkeypatch, size):
    """A tenth of what is accepted, as a share of the value's size, is enough to know."""
    looks = []

    def look(share):
        return lambda *_: looks.append(share) or np.array(share * 1e-6 * size)

    monkeypatch.setattr(
        "lexiprog.solve.error_propagation.POINT", [look(0.5), look(0.2), look(0.05), look(0)]
    )
    line = Straight(1.0, 1.0)
    line.solution.size = size
    task = SimpleNamespace(solver=SimpleNamespace(accept=1e-6))
    owner = SimpleNamespace(exact=None, unit=1.0)
    reference = SimpleNamespace(owner_name="a", kind="point")
    effect = _effect(task, line.parameter, reference, {"a": owner}, line)
    assert looks == [0.5, 0.2, 0.05]
    assert effect == pytest.approx(0.05 * 1e-6 * size, rel=1e-3)


def test_an_exact_point_has_no_effect_and_an_optimum_that_of_its_uncertainty():
    line, task = Straight(3.0, 1.0), SimpleNamespace(solver=SimpleNamespace(accept=1e-6))
    exact = SimpleNamespace(exact=1, unit=1.0, uncertainty=1e-3, size=7.0)
    reference = SimpleNamespace(owner_name="a", kind=ReferenceKind.OPTIMUM)
    assert _effect(task, line.parameter, reference, {"a": exact}, line) == 0.0
    for uncertainty, wanted in ((1e-3, 3e-3), (np.inf, 21.0)):
        owner = SimpleNamespace(exact=None, unit=1.0, uncertainty=uncertainty, size=7.0)
        found = _effect(task, line.parameter, reference, {"a": owner}, line)
        assert found == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("size", [1, 15, 16])
def test_errors_of_few_entries_add_up_whatever_their_number(size):
    line = Straight(np.full(size, 2.0), np.ones(size))
    assert line.of(np.full(size, 1e-3)) == pytest.approx(2e-3 * size, rel=1e-6)
