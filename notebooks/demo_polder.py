"""Demo chapter: a polder behind a sea dike, planned in three levels, beside rtc-tools' own plan."""

import json
import time
from pathlib import Path

import cvxpy as cp
import numpy as np
from matplotlib.figure import Figure

import lexiprog as lx

TITLE = "Real work: a polder's pump, planned as water boards do"
INTRODUCTION = (
    "Water runs into a basin behind a dike. At low tide it leaves by itself, otherwise a pump "
    "lifts it. First the level is kept between 0.43 and 0.44 m, then as little is pumped as "
    "possible, then the pump changes as little as possible. This is the goal programming "
    "example of rtc-tools, whose figures stand beside ours; the gallery has eight more."
)

HOURS, AREA, STEP = 20, 1e6, 3600.0  # square metres, seconds
SEA = 0.1 * np.concatenate([np.arange(11), np.arange(9, -1, -1)])
INFLOW, WIDTH, HEIGHT, GRAVITY = 5.0, 3.0, 0.8, 9.8
LOW, HIGH = 0.43, 0.44
# What rtc-tools ends with, by CasADi and Bonmin and its own settings: benchmarks/polder.py asks it.
MEASURED = Path(__file__).parents[1] / "benchmarks" / "results" / "polder.json"
UNITS = {"range": "m missing in all", "pumping": "m³/s, summed by the hour", "changes": "squared"}


def declare() -> tuple[lx.Program, dict[str, cp.Variable]]:
    """Water in, water out, downhill only; three objectives in order."""
    level = cp.Variable(HOURS + 1, bounds=[0, 0.5], name="level")
    pump = cp.Variable(HOURS + 1, bounds=[0, 7], name="pump")
    orifice = cp.Variable(HOURS + 1, bounds=[0, 10], name="orifice")
    down = SEA < LOW
    head = cp.square(orifice[down] / (WIDTH * HEIGHT)) / (2 * GRAVITY)
    rules = [
        level[0] == 0.4, pump[0] == 0, orifice[0] == 0,
        AREA * cp.diff(level) / STEP == (INFLOW - pump - orifice)[1:],
        orifice[~down] == 0,
        level[down] >= SEA[down] + head,
    ]  # fmt: skip
    levels = {
        "range": cp.Minimize(cp.sum(cp.pos(LOW - level) + cp.pos(level - HIGH))),
        "pumping": cp.Minimize(cp.sum(pump)),
        "changes": cp.Minimize(cp.sum_squares(cp.diff(pump))),
    }
    program = lx.preemptive(levels, rules, atol={"range": 1e-5, "pumping": 1e-3})
    return program, {"level": level, "pump": pump, "orifice": orifice}


def show() -> tuple[str, str, Figure]:
    """Solve, compare and draw."""
    program, variables = declare()
    start = time.perf_counter()
    result = program.solve()
    seconds = time.perf_counter() - start
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))["polder"]["rtc_tools"]
    theirs = measured["values"]
    lines = [f"{'level':<10}{'lexiprog':>10}{'rtc-tools ' + measured['version']:>17}"]
    for name, solution in result.items():
        lines.append(f"{name:<10}{solution.value:>10.5f}{theirs[name]:>17.5f}  {UNITS[name]}")
    saved = 1 - measured["least_changes"] / theirs["changes"]
    outcome = (
        f"the water and the pumping of rtc-tools' plan can be had with {100 * saved:.0f} % less "
        f"change of the pump; every level is proved, in {seconds:.1f} s."
    )
    findings = "\n".join([*lines, "", str(result)])
    print(findings)
    return outcome, findings, draw({name: result.final[v] for name, v in variables.items()})


def draw(plan: dict[str, np.ndarray]) -> Figure:
    """The water between its limits, and who lets it out."""
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
    hours = np.arange(HOURS + 1)
    top.axhspan(LOW, HIGH, color="#d9e2ee", label="wanted")
    top.plot(hours, plan["level"], "o-", color="#2b4c7e", markersize=4, label="water")
    top.plot(hours, SEA, "--", color="#c8722b", label="sea")
    top.set(ylabel="metres", ylim=(0.35, 0.55))
    bottom.step(hours, plan["pump"], where="mid", color="#c8322b", label="pump")
    bottom.step(hours, plan["orifice"], where="mid", color="#2a7f62", label="orifice")
    bottom.set(xlabel="hours", ylabel="m³ a second", xlim=(0, HOURS))
    for axes in (top, bottom):
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
