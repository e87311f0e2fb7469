"""A conflict cannot hold, and nothing of it can be left out, as other solvers confirm."""

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.lexiprog.infeasibility.infeasible import draw

CASES = [(kind, seed) for kind in ("LP", "MILP", "SOCP") for seed in range(6)]


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_a_conflict_is_infeasible_and_every_part_of_it_is_needed(kind, seed):
    drawn = draw(seed, kind)
    error = drawn.failure()
    assert error is not None
    assert error.status == "infeasible"
    chosen = [part.position - 1 for part in error.conflict if part.position is not None]
    bounds = {part.text for part in error.conflict if part.position is None}
    texts = ("x >= 0", f"x <= {drawn.high:g}", "x is whole")
    lower, upper, whole = (text in bounds for text in texts)
    assert len(bounds) == lower + upper + whole, bounds
    assert not drawn.possible(chosen, lower=lower, upper=upper, whole=whole)
    for left_out in chosen:  # even though all bounds stay
        assert drawn.possible([k for k in chosen if k != left_out]), left_out
    if lower:
        assert drawn.possible(chosen, lower=False, upper=upper, whole=whole)
    if upper:
        assert drawn.possible(chosen, lower=lower, upper=False, whole=whole)
    if whole:
        assert drawn.possible(chosen, lower=lower, upper=upper, whole=False)


@pytest.mark.parametrize("seed", range(20, 24))
def test_single_rows_of_arrays_are_named_and_each_is_needed(seed):
    drawn = draw(seed, "LP")
    error = drawn.failure()
    rows, limits = [np.zeros(drawn.size)], [0.0]
    tags = [None]
    low, high = np.full(drawn.size, -np.inf), np.full(drawn.size, np.inf)
    for part in error.conflict:
        if part.position is None:
            which = [e[0] for e in part.entries] or list(range(drawn.size))
            side, value = (low, 0.0) if ">=" in part.text else (high, drawn.high)
            side[which] = value
            continue
        block = drawn.blocks[part.position - 1]
        for k in [e[0] for e in part.entries] or range(len(block.b)):
            rows.append(block.A[k])
            limits.append(block.b[k])
            tags.append((part.position, k))

    def possible(skip=None, low=low, high=high):
        keep = [k for k in range(len(rows)) if k != skip]
        A, b = np.array(rows)[keep], np.array(limits)[keep]
        return linprog(np.zeros(drawn.size), A, b, bounds=np.stack([low, high]).T).status == 0

    assert not possible()
    for k in range(1, len(rows)):
        assert possible(skip=k), tags[k]
    for side, free in ((low, -np.inf), (high, np.inf)):
        for k in np.flatnonzero(np.isfinite(side)):
            before, side[k] = side[k], free
            assert possible(), k
            side[k] = before
