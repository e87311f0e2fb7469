"""Demo chapter: two ideals that exclude each other, and the fairest compromise between them."""

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import lexiprog as lx

TITLE = "A compromise between the cheapest and the cleanest plan"
INTRODUCTION = (
    "The first stage finds the least cost and the least fumes, each alone. The second reads both "
    "optima and keeps the larger of the two regrets as small as it can be."
)

# The plans that meet the demand, by their vertices; the first three are the efficient ones.
VERTICES = np.array([(0, 8), (8 / 3, 8 / 3), (8, 0), (10, 0), (10, 10), (0, 10)])
COST, FUMES = np.array([3, 1]), np.array([1, 4])
COLOURS = {"cheap": "#c8553d", "clean": "#2a7f62", "fair": "#2b4c7e"}
NAMES = {"cheap": "cheapest", "clean": "cleanest", "fair": "compromise"}


def declare() -> tuple[lx.Program, cp.Variable]:
    """Declare the two stages; nothing is solved yet."""
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost, fumes = COST @ x, FUMES @ x
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    clean = lx.Subproblem("clean", cp.Minimize(fumes), demand)
    worst = cp.Variable(name="worst")
    regrets = [cost <= cheap.optimum + worst, fumes <= clean.optimum + worst]
    fair = lx.Subproblem("fair", cp.Minimize(worst), [*demand, *regrets])
    return lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("compromise", fair)), x


def choices() -> list[object]:
    """Ways to choose the solvers: none, by name, by stage, by subproblem, and fallbacks."""
    return [
        None,
        "CLARABEL",
        {"ideal": "HIGHS", "compromise": lx.Solver("CLARABEL", tol_gap_abs=1e-9)},
        {"cheap": "ECOS", "clean": "CLARABEL", "fair": "HIGHS"},
        ["HIGHS", "CLARABEL"],
    ]


def show() -> tuple[str, str, Figure]:
    """Solve, swap the solvers, and draw the plans."""
    program, x = declare()
    result = program.solve()
    table = lx.compare_solvers(program, choices())
    findings = "\n\n".join(map(str, [program, result, result.final, table]))
    print(findings)
    fair = result.final[x]
    outcome = (
        f"the plan ({fair[0]:.3g}, {fair[1]:.3g}) is {result.final.value:.4g} worse than the "
        "cheapest in cost and than the cleanest in fumes; no plan comes nearer to both."
    )
    return outcome, findings, draw({name: solution[x] for name, solution in result.items()})


def draw(plans: Mapping[str, np.ndarray]) -> Figure:
    """Draw the plans among all plans (left) and what they cost and emit (right)."""
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    decisions, outcomes = figure.subplots(1, 2)
    draw_decisions(decisions, plans)
    draw_outcomes(outcomes, {name: (COST @ plan, FUMES @ plan) for name, plan in plans.items()})
    for axes in (decisions, outcomes):
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_aspect("equal")
    return figure


def draw_region(axes: Axes, vertices: np.ndarray) -> None:
    axes.fill(*vertices.T, color="#ebe9e1", zorder=0)
    axes.plot(*vertices[:3].T, color="#8a867a", linewidth=2.5, zorder=1)


def mark(axes: Axes, name: str, point: tuple[float, float], note: str, offset: tuple) -> None:
    axes.plot(*point, "o", color=COLOURS[name], markersize=10, zorder=4, clip_on=False)
    axes.annotate(
        f"{NAMES[name]}\n{note}",
        point,
        offset,
        textcoords="offset points",
        color=COLOURS[name],
        fontweight="bold",
        va="center",
    )


def draw_decisions(axes: Axes, plans: Mapping[str, np.ndarray]) -> None:
    draw_region(axes, VERTICES)
    for name, weights in (("cheap", COST), ("clean", FUMES)):
        level = weights @ plans[name]
        ends = np.array([(0, level / weights[1]), (level / weights[0], 0)])
        axes.plot(*ends.T, "--", color=COLOURS[name], linewidth=1.2)
    for name, offset in {"cheap": (14, 12), "clean": (-4, 30), "fair": (14, 12)}.items():
        first, second = plans[name]
        mark(axes, name, plans[name], f"({first:.3g}, {second:.3g})", offset)
    axes.text(6.6, 7.2, "every plan that\nmeets the demand", color="#6b685e", ha="center")
    axes.set(xlim=(0, 10), ylim=(0, 10), xlabel="x[0]", ylabel="x[1]")
    axes.set_title("Decision space: dashed, the ideals' level lines", loc="left", fontsize=11)


def draw_outcomes(axes: Axes, points: Mapping[str, tuple[float, float]]) -> None:
    draw_region(axes, VERTICES @ np.array([COST, FUMES]).T)
    ideal = np.array([points["cheap"][0], points["clean"][1]])
    cost, fumes = points["fair"]
    axes.fill(
        [ideal[0], cost, cost, ideal[0]],
        [ideal[1], ideal[1], fumes, fumes],
        facecolor="#2b4c7e22",
        edgecolor=COLOURS["fair"],
        linestyle="--",
        zorder=2,
    )
    axes.plot(*ideal, "*", color="#222222", markersize=13, zorder=4)
    below = {"xytext": (0, -24), "textcoords": "offset points", "va": "center"}
    axes.annotate("both ideals at once,\nout of reach", ideal, ha="center", **below)
    middle = (ideal + points["fair"]) / 2
    regret = f"regret\n{cost - ideal[0]:.4g}"
    axes.text(*middle, regret, color=COLOURS["fair"], fontsize=9, ha="center", va="center")
    for name, offset in {"cheap": (14, 0), "clean": (-30, -24), "fair": (14, 14)}.items():
        mark(axes, name, points[name], "cost {:.4g}, fumes {:.4g}".format(*points[name]), offset)
    axes.set(xlim=(2, 36), ylim=(2, 36), xlabel="cost", ylabel="fumes")
    axes.set_title(
        "Objective space: dashed, the larger regret as a square", loc="left", fontsize=11
    )
