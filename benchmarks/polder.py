"""A polder's pump, planned by this library and by rtc-tools from the same numbers.

rtc-tools runs in a process of its own: LEXIPROG_RTC_TOOLS names the Python that has it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
from _measuring import Report, arguments, seconds, table, timed

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "notebooks"))

import demo_polder as polder  # noqa: E402

EASE = 1e-7  # metres: its plan keeps the laws of water up to the tolerance of its solver, 1e-8
NOTE = (
    "`range` is what is missing of the wanted level in metres, summed over the hours; `pumping` "
    "the pump's flow summed by the hour; `changes` the squares of its changes, summed. rtc-tools "
    "compares each hour with the squares of its misses, which is the same here: only the first two "
    "hours miss, whatever one does. It holds earlier levels up to the tolerance of its solver, so "
    "that each may be a little worse than ours and the later ones better for it. `least at its "
    "levels` is the smallest sum of squares for which every hour misses no more, and no more is "
    "pumped in all, than in its own plan (up to 1e-7 m and 1e-4 m³/s): one problem, by "
    "CVXPY and Clarabel alone."
)


def given() -> dict[str, Any]:
    """The numbers of the demo, as they are sent."""
    return {
        "area": polder.AREA, "step": polder.STEP, "sea": polder.SEA.tolist(),
        "inflow": [polder.INFLOW] * polder.SEA.size, "range": [polder.LOW, polder.HIGH],
        "bounds": {"deepest": 0.5, "pump": 7.0, "orifice": 10.0},
        "first": {"level": 0.4, "pump": 0.0, "orifice": 0.0},
        "opening": polder.WIDTH * polder.HEIGHT, "gravity": polder.GRAVITY,
    }  # fmt: skip


def rtc_tools() -> dict[str, Any]:
    python = os.environ.get("LEXIPROG_RTC_TOOLS", sys.executable)
    done = subprocess.run(
        [python, str(Path(__file__).with_name("_polder_rival.py"))],
        input=json.dumps(given()), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no answer"])[-1])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def misses(level: Any) -> np.ndarray:
    level = np.asarray(level)
    return np.maximum(0, polder.LOW - level) + np.maximum(0, level - polder.HIGH)


def values(plan: dict[str, Any]) -> dict[str, float]:
    pump = np.asarray(plan["pump"])
    squares = float(np.sum(np.diff(pump) ** 2))
    return {"range": float(misses(plan["level"]).sum()), "pumping": float(pump.sum()),
            "changes": squares}  # fmt: skip


def least_changes(plan: dict[str, Any]) -> float:
    """No hour misses more and no more is pumped than in a plan: how little the pump may change."""
    program, variables = polder.declare()
    rules = program["range"].constraints
    level, pump = variables["level"], variables["pump"]
    slack = misses(plan["level"]) + EASE
    problem = cp.Problem(
        cp.Minimize(cp.sum_squares(cp.diff(pump))),
        [*rules, level >= polder.LOW - slack, level <= polder.HIGH + slack,
         cp.sum(pump) <= np.sum(plan["pump"]) + 1e3 * EASE],
    )  # fmt: skip
    return float(problem.solve(solver=cp.CLARABEL))


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__ or "", argv)
    report = Report("polder", "A polder's pump")
    program, variables = polder.declare()
    clock, result = timed(program.solve)
    ours = values({name: result.final[variable] for name, variable in variables.items()})
    lines = [["lexiprog", *(f"{v:.5f}" for v in ours.values()), "", seconds(clock.cpu)]]
    data: dict[str, Any] = {"lexiprog": ours, "lexiprog_clock": clock}
    try:
        theirs = rtc_tools()
        plan = theirs["levels"][-1]
        least = least_changes(plan)
        found = values(plan)
        name = f"rtc-tools {theirs['version']}"
        figures = [*(f"{v:.5f}" for v in found.values()), f"{least:.5f}", seconds(theirs["cpu"])]
        lines.append([name, *figures])
        data["rtc_tools"] = {"version": theirs["version"], "values": found, "plan": plan}
        data["rtc_tools"] |= {"least_changes": least, "cpu": theirs["cpu"]}
    except RuntimeError as failure:
        lines.append(["rtc-tools", str(failure)[:60], "", "", "", ""])
    head = ["", *ours, "least at its levels", "cpu"]
    report.section("The same numbers, three levels", table(head, lines), "polder", data)
    report.section("Reading the table", NOTE, "note", NOTE)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
