"""A chain's multipliers as a proof of each of its levels, summed up by numpy alone."""

import numpy as np
import pytest


def check_every_level(A, demand, costs, upper, result):
    """Levels ``cost @ x`` over ``A @ x >= demand`` and ``0 <= x <= upper``, earlier ones held."""
    optima = np.array([solution.value for solution in result.values()])
    for k, solution in enumerate(result.values()):
        y, locks = solution.duals[0], np.array(solution.duals[1:])
        assert (y >= 0).all()
        assert (locks >= 0).all()
        rest = costs[k] - A.T @ y + costs[:k].T @ locks
        bound = demand @ y - locks @ optima[:k] + np.minimum(upper * rest, 0).sum()
        assert bound == pytest.approx(solution.value, rel=1e-7, abs=1e-7)
