"""Lotteries as programs: found, saved, refused."""

import numpy as np
import pytest

import lexiprog as lx

PANELS = np.array([[1.0, 0, 1], [0, 1, 1]])


def oracle(prices):
    worth = PANELS @ prices
    return PANELS[[worth.argmax()]], worth.max()


def test_a_lottery_is_found_proved_and_saved(tmp_path):
    program = lx.leximin({"ann": 0, "bob": 0, "cid": 0}, pricing=oracle)
    result = program.solve()
    found = result.final
    assert found.status == "optimal"
    assert found.certificate.basis == "oracle"
    assert found.levels == (
        (pytest.approx(0.5, abs=1e-9), ("ann", "bob")), (pytest.approx(1, abs=1e-9), ("cid",))
    )  # fmt: skip
    assert found.lottery.weights @ found.lottery.columns == pytest.approx([0.5, 0.5, 1])
    result.save(tmp_path / "lottery.json")
    loaded = lx.Result.load(tmp_path / "lottery.json", program=program).final
    assert np.array_equal(loaded.lottery.weights, found.lottery.weights)
    assert loaded.levels == found.levels


def test_a_lottery_is_certified_to_what_its_solver_accepts():
    found = lx.leximin([0, 0, 0], pricing=oracle).solve(lx.Solver("HIGHS", accept=1e-4)).final
    assert found.certificate.tolerance == 1e-4
    assert found.value == found.levels[0].value == pytest.approx(0.5)
    assert found.bound == pytest.approx(0.5, abs=1e-9)


def test_what_everyone_has_counts():
    found = lx.leximin([0.5, 0, 0], pricing=oracle).solve().final
    assert found.levels[0] == (pytest.approx(0.75, abs=1e-9), (0, 1))


def test_an_oracle_without_a_bound_proves_nothing():
    def boundless(prices):
        return oracle(prices)[0], np.inf

    with pytest.raises(lx.StageError, match="make its bound tighter"):
        lx.leximin([0, 0, 0], pricing=boundless).solve()


def test_a_lottery_takes_numbers_and_no_constraints():
    import cvxpy as cp

    x = cp.Variable(2, name="x")
    with pytest.raises(lx.DeclarationError, match="'x' occurs in them"):
        lx.leximin([x[0], x[1]], pricing=oracle)
    with pytest.raises(lx.DeclarationError, match="no constraints of its own"):
        lx.leximin([0, 0], [x >= 0], pricing=oracle)
    with pytest.raises(lx.DeclarationError, match="pricing is a function"):
        lx.leximin([0, 0], pricing=PANELS)
    with pytest.raises(lx.StageError, match="HIGHS only"):
        lx.leximin([0, 0, 0], pricing=oracle).solve("CLARABEL")
