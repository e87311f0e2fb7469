"""Fronts with thousands of points: Tamby's knapsacks, and two workers.

Counts are equal to the log of MultiObjectiveAlgorithms.jl's paper or the run ends; its times, on
another machine, stand beside ours. Every proof is checked by ``docs/check_fronts.py``.
LEXIPROG_INSTANCES names the folder with the instances. A quarter of an hour of processor time;
``--only`` measures some sections and keeps the others of the result file.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import _front_instances as instances
from _measuring import PieceReport, Report, arguments, seconds, table
from fronts import clocked, proved

import lexiprog as lx


def knapsacks(report: Report, p: int, numbers: Sequence[int]) -> None:
    """Tamby's knapsacks: counts equal to the log of MOA.jl's paper, times of which stand beside."""
    lines, data = [], []
    for number in numbers:
        wanted, gurobi = instances.published(p, number)
        aims, room = instances.tamby(p, number)
        clock, front = clocked(partial(lx.frontier, aims, room))
        if len(front) != wanted or not front.complete:
            raise SystemExit(f"p = {p}, {number}: {len(front)} points, not {wanted}")
        size, checked = proved(front)
        steps = front.state.tries / len(front)
        lines.append([number, len(front), seconds(clock.cpu), f"{steps:.2f}", front.proof.trusted,
                      f"{size:.2f} MB", f"{checked:.1f} s", f"{gurobi:.0f} s"])  # fmt: skip
        print(lines[-1], flush=True)
        data.append({"number": number, "points": len(front), "clock": clock, "steps": steps,
                     "trusted": front.proof.trusted, "megabytes": size, "check": checked,
                     "MOA.jl with Gurobi, published": gurobi})  # fmt: skip
    head = ["number", "points, all in the log", "lexiprog (cpu)", "steps a point",
            "by a solver's word", "proof", "checked in",
            "MOA.jl, Gurobi, as published"]  # fmt: skip
    report.section(f"Tamby's knapsacks, {p} objectives", table(head, lines), f"tamby {p}", data)


def workers(report: Report, name: str, problem: tuple[dict[str, Any], list[Any]]) -> None:
    """One process and two, by the wall: only worth reading on two free cores."""
    clocks, points = {}, []
    for count in (1, 2):
        clocks[count], front = clocked(partial(lx.frontier, *problem, workers=count))
        proved(front)
        points.append(front.points.tolist())
    if points[0] != points[1]:
        raise SystemExit(f"{name}: two workers find another front")
    lines = [[n, seconds(c.wall), seconds(c.cpu), f"{clocks[1].wall / c.wall:.2f}"]
             for n, c in clocks.items()]  # fmt: skip
    text = table(["workers", "wall", "cpu, of all processes", "times faster"], lines)
    report.section(f"Workers, {name}", text, "workers", clocks)


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(__doc__, argv, ["workers", "tamby 2", "tamby 3", "tamby 4"])
    warnings.simplefilter("ignore", lx.LexiprogWarning)
    report = PieceReport("front_knapsacks", "Fronts of knapsacks", options.out)
    if "workers" in options.only and options.quick:
        workers(report, "drawn", instances.knapsack(3, 16))
    elif "workers" in options.only:
        workers(report, "p = 3, number 5", instances.tamby(3, 5))
    for p in () if options.quick else (2, 3, 4):
        if f"tamby {p}" in options.only:
            knapsacks(report, p, range(1, 11))


if __name__ == "__main__":
    main()
