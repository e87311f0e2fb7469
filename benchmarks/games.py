"""Least cores and nucleoli of games: this library, pydvl and tucoopy on the same coalitions.

The others want an older CVXPY and run in a process of their own: LEXIPROG_RIVALS names the Python
that has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from _measuring import Clock, Report, arguments, seconds, table, timed

from lexiprog.contrib.pydvl import least_core, nucleolus

ASKED = {"least_core": ("pydvl", least_core), "nucleolus": ("tucoopy", nucleolus)}
NOTE = (
    "Differences are the largest of any value. Where a least core or nucleolus is known, the "
    "largest error against it stands in brackets. Coalitions sorted from the worst treated on: the "
    "first gain that differs by more than 1e-3, ours minus theirs; of two candidates for a "
    "nucleolus the one that is higher there is nearer to it."
)


def coalitions(players: int, worth: Callable[[np.ndarray], float]) -> SimpleNamespace:
    members = np.array(list(product([0, 1], repeat=players)), dtype=float)
    return SimpleNamespace(A_lb=members, utility_values=np.array([worth(row) for row in members]))


def random_game(players: int, seed: int) -> SimpleNamespace:
    """Whole numbers that grow faster than coalitions do, so that joining pays."""
    rng = np.random.default_rng(seed)
    return coalitions(
        players, lambda row: float(row.any() * (10 * row.sum() ** 2 + rng.integers(0, 10)))
    )


def games(*, quick: bool) -> dict[str, tuple[SimpleNamespace, dict[str, list[float]]]]:
    """Each with what is known of it."""
    claims = np.array([100, 200, 300])
    talmud = coalitions(3, lambda row: max(0.0, 200 - (1 - row) @ claims))
    miners = coalitions(7, lambda row: float(row.sum() // 2))
    listed = {
        "the Talmud's estate of 200": (talmud, {"nucleolus": [50, 75, 75]}),
        "7 miners (pydvl)": (miners, dict.fromkeys(ASKED, [3 / 7] * 7)),
    }
    for players in () if quick else (6, 8, 10):
        listed[f"{players} players, random"] = (random_game(players, players), {})
    return listed


def ask(what: str, game: SimpleNamespace) -> tuple[Clock, Any]:
    python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
    given = {"members": game.A_lb.tolist(), "worth": game.utility_values.tolist()}
    done = subprocess.run(
        [python, str(Path(__file__).with_name("_game_rivals.py")), what],
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no answer"])[-1])
    record = json.loads(done.stdout.splitlines()[-1])
    return Clock(record["wall"], record["cpu"]), np.array(record["answer"]["values"])


def first_difference(game: SimpleNamespace, ours: np.ndarray, theirs: np.ndarray) -> str:
    """Who treats the worst treated coalition better, or the first one that is treated otherwise."""
    inner, worth = game.A_lb[1:-1], game.utility_values[1:-1]
    gains = np.sort(inner @ ours - worth) - np.sort(inner @ theirs - worth)
    beyond = np.flatnonzero(np.abs(gains) > 1e-3)
    return f"{gains[beyond[0]]:+.2g}" if beyond.size else "none"


def compare(what: str, *, quick: bool) -> tuple[str, list[dict[str, Any]]]:
    other, solve = ASKED[what]
    lines, data = [], []
    for name, (game, known) in games(quick=quick).items():
        solve(game)  # what is compiled once
        clock, ours = timed(lambda game=game: solve(game).values)

        def error(values: np.ndarray, known: dict[str, list[float]] = known) -> str:
            return f" ({np.abs(values - known[what]).max():.0e})" if what in known else ""

        line = [name, seconds(clock.cpu) + error(ours)]
        record: dict[str, Any] = {"game": name, "lexiprog": clock, "values": ours}
        try:
            their_clock, theirs = ask(what, game)
            difference = float(np.abs(ours - theirs).max())
            better = first_difference(game, ours, theirs)
            line += [seconds(their_clock.cpu) + error(theirs), f"{difference:.0e}", better]
            record |= {other: their_clock, "difference": difference}
        except RuntimeError as failure:
            line += [str(failure)[:60], "", ""]
        lines.append(line)
        data.append(record)
    head = [
        "game",
        "lexiprog, cpu",
        f"{other}, cpu",
        "largest difference",
        "first gain that differs",
    ]
    return table(head, lines), data


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__ or "", argv)
    report = Report("games", "Least cores and nucleoli")
    for what, (other, _) in ASKED.items():
        text, data = compare(what, quick=options.quick)
        report.section(f"{what.replace('_', ' ').capitalize()}, and {other}'s", text, what, data)
    report.section("Reading the tables", NOTE, "note", NOTE)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
