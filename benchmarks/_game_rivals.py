"""pydvl and tucoopy on the games of games.py, in a process of their own: they want an older CVXPY.

python _game_rivals.py least_core|nucleolus < game.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from _measuring import timed


def least_core(members: np.ndarray, worth: np.ndarray) -> Any:
    """pydvl's linear and quadratic program, at its defaults (SCS)."""
    from types import SimpleNamespace

    from pydvl.value.least_core.common import LeastCoreProblem, lc_solve_problem

    class Players(list):  # all that it asks of the data
        indices = data_names = np.arange(members.shape[1])

    utility = SimpleNamespace(data=Players(range(members.shape[1])))
    problem = LeastCoreProblem(utility_values=worth, A_lb=members)

    def solve() -> dict[str, Any]:
        found = lc_solve_problem(problem, u=utility, algorithm="exact_least_core")
        return {"values": found.values.tolist(), "subsidy": float(found.subsidy)}

    return solve


def nucleolus(members: np.ndarray, worth: np.ndarray) -> Any:
    """tucoopy's, whose coalitions are the bits of a number."""
    from tucoopy import Game
    from tucoopy.solutions import nucleolus as its_own

    players = members.shape[1]
    bits = members.astype(int) @ (1 << np.arange(players))
    game = Game(n_players=players, v={int(b): float(w) for b, w in zip(bits, worth, strict=True)})

    def solve() -> dict[str, Any]:
        found = its_own(game)
        return {"values": list(map(float, found.x))}

    return solve


if __name__ == "__main__":
    data = json.load(sys.stdin)
    rival = {"least_core": least_core, "nucleolus": nucleolus}[sys.argv[1]]
    clock, answer = timed(rival(np.array(data["members"], dtype=float), np.array(data["worth"])))
    print(json.dumps({"wall": clock.wall, "cpu": clock.cpu, "answer": answer}))
