"""Merged rows have the same optima, and their weights find back to the points."""

import numpy as np
import pytest

from lexiprog_boost import lexiboost_program
from lexiprog_boost.programs import check_inputs
from lexiprog_boost.programs.lexiboost import declare_balance
from lexiprog_boost.reductions import compress_rows
from lexiprog_boost.reductions.merged_rows import row_keys
from tests.lexiprog_boost.written_out import lexi_programs as independent


@pytest.mark.parametrize("kind", ["votes", "values"])
def test_f6_merged_rows_have_the_same_optima(kind):
    M, y = independent.margins(8, members=3, kind=kind)
    M = M if kind == "votes" else np.round(M, 1)
    weights = np.arange(60) % 3
    merged = compress_rows(check_inputs(M, y, sample_weight=weights, margin_target=0.5))
    assert len(merged.inputs.codes) < 60
    full = lexiboost_program(M, y, sample_weight=weights, margin_target=0.5).solve()
    optima = [full[f"class:{j}"].value for j in range(3)]
    small = declare_balance(merged.inputs, optima).solve().final
    assert small.value == pytest.approx(full["balance"].value, abs=1e-9)
    back = merged.to_points(merged.inputs.weights)
    np.testing.assert_allclose(back, check_inputs(M, y, sample_weight=weights).weights)
    assert (merged.groups[weights == 0] == -1).all()


@pytest.mark.parametrize("members", [47, 48, 49, 61])
def test_rows_of_many_voters_are_told_apart_by_every_one_of_them(members):
    """Rows that differ in one voter, the first or the last, each twice and in two classes."""
    rows = np.ones((6, members), dtype=int)
    for k, place in enumerate((0, 1, members // 2, members - 2, members - 1)):
        rows[k + 1, place] = -1
    margins, labels = np.vstack([rows] * 4), np.repeat(["a", "b", "a", "b"], 6)
    merged = compress_rows(check_inputs(margins, labels))
    assert len(merged.inputs.codes) == 12
    for one, other in np.ndindex(24, 24):
        same = labels[one] == labels[other] and (margins[one] == margins[other]).all()
        assert (merged.groups[one] == merged.groups[other]) == same


def test_zeros_of_either_sign_are_one_margin():
    margins = [[0.0, 0.5, 1.0], [-0.0, 0.5, 1.0], [0.0, 0.5, -1.0], [-0.0, 0.5, 1.0]]
    merged = compress_rows(check_inputs(np.array(margins), ["a", "a", "a", "b"]))
    assert len(merged.inputs.codes) == 3
    assert merged.groups[0] == merged.groups[1]
    assert sorted(merged.inputs.weights) == pytest.approx([1 / 3, 2 / 3, 1])


def test_without_members_points_are_told_apart_by_their_class():
    codes = np.array([0, 1, 0])
    assert row_keys(np.zeros((3, 0)), codes).tolist() == codes.tolist()


def test_classes_come_first_so_that_merged_rows_are_sorted_by_them():
    rng = np.random.default_rng(1)
    for margins in (rng.choice([-1.0, 1.0], (40, 3)), rng.integers(0, 3, (40, 3)) / 2.0,
                    rng.choice([-1.0, 1.0], (40, 60))):  # fmt: skip
        labels = rng.integers(0, 3, 40)
        merged = compress_rows(check_inputs(margins, labels))
        assert (np.diff(merged.inputs.codes) >= 0).all()
        for k, group in enumerate(merged.groups):
            assert merged.inputs.codes[group] == labels[k]
            np.testing.assert_array_equal(merged.inputs.margins[group], margins[k])


def test_rows_of_one_value_are_one_row_a_class():
    merged = compress_rows(check_inputs(np.ones((5, 2)), ["a", "b", "a", "b", "b"]))
    assert merged.inputs.margins.tolist() == [[1, 1], [1, 1]]
    assert merged.shares == pytest.approx([1 / 2, 1 / 3, 1 / 2, 1 / 3, 1 / 3])
