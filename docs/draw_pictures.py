"""Draw the pictures of the guide: `python docs/draw_pictures.py`, or with a folder to draw into.

Every number in them is computed: the points are optima of the programs that the pages describe.
"""

import json
import sys
from pathlib import Path

import cvxpy as cp
import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import lexiprog as lx

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
BLUE, ORANGE, GREEN, GREY = "#0b6bb8", "#d9730d", "#2e8b57", "#777777"
CORNERS = np.array([[0, 0], [6, 0], [5, 3], [2, 6], [0, 7]])  # of 3x + y <= 18 and so on
STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "lexiprog",
}


def workshop() -> tuple[cp.Variable, list[cp.Constraint]]:
    """The workshop of the guide: two products and three limits."""
    x = cp.Variable(2, nonneg=True, name="x")
    return x, [3 * x[0] + x[1] <= 18, x[0] + x[1] <= 8, x[0] + 2 * x[1] <= 14]


def plans(ax: Axes) -> None:
    """Draw all feasible plans of the workshop."""
    ax.fill(*CORNERS.T, color=BLUE, alpha=0.12, lw=0)
    ax.set(xlim=(-0.3, 8.3), ylim=(-0.3, 8.3), aspect="equal", xlabel="x[0]", ylabel="x[1]")


def first_then(figure: Figure) -> None:
    """The cheapest plans of the README's example, and the cleanest of them."""
    x = cp.Variable(2, bounds=[0, 6])
    wishes = {"cost": cp.Minimize(2 * x[0] + 2 * x[1]), "fumes": cp.Minimize(x[0] + 3 * x[1])}
    result = lx.preemptive(wishes, [x[0] + x[1] >= 8]).solve()
    found, cost = result.final[x], result["cost"].value
    ax = figure.subplots()
    ax.fill([2, 6, 6], [6, 2, 6], color=BLUE, alpha=0.12, lw=0)
    ax.text(4.3, 5.1, "all plans", color=BLUE)
    ends = np.array([cost / 2 - 6, 6])
    ax.plot(ends, cost / 2 - ends, color=ORANGE, lw=5, solid_capstyle="round")
    ax.text(0.3, 3.6, f"first: cheapest,\ncost {cost:g}", color=ORANGE)
    ax.plot(*found, "o", color=GREEN, ms=10)
    fumes = result["fumes"].value
    ax.text(2.6, 1.3, f"then: cleanest of\nthese, fumes {fumes:g}", color=GREEN)
    ax.set(xlim=(0, 6.5), ylim=(0, 6.5), aspect="equal", xlabel="from A", ylabel="from B")


def face(figure: Figure) -> None:
    """All optima of the first problem, and the one of them that the second chooses."""
    x, limits = workshop()
    levels = {"output": cp.Maximize(cp.sum(x)), "waste": cp.Minimize(x[0])}
    found = lx.preemptive(levels, limits).solve().final[x]
    ax = figure.subplots()
    plans(ax)
    ends = np.array([[2, 6], [5, 3]])
    ax.plot(*ends.T, color=ORANGE, lw=5, solid_capstyle="round")
    ax.annotate("the face: every plan\nwith the largest output", (3.6, 4.4), (4.4, 6.2),
                arrowprops={"arrowstyle": "-", "color": GREY}, color=ORANGE)  # fmt: skip
    ax.annotate("", (2.6, 2.6), (1.3, 1.3), arrowprops={"arrowstyle": "->", "color": BLUE})
    ax.text(1.2, 0.7, "more output", color=BLUE)
    ax.plot(*found, "o", color=GREEN, ms=10)
    ax.annotate("least waste on it", found, (0.1, 7.5), color=GREEN,
                arrowprops={"arrowstyle": "-", "color": GREY})  # fmt: skip


def locks(figure: Figure) -> None:
    """A bound on a curved optimum leaves a band; its argument leaves a line."""
    left, right = figure.subplots(1, 2, sharey=True)
    slack = 0.05
    side = np.linspace(0, 2.6, 50)
    for ax in (left, right):
        grid = np.meshgrid(np.linspace(0, 2.6, 200), np.linspace(0, 2.6, 200))
        height = (grid[0] + grid[1] - 2) ** 2
        ax.contour(*grid, height, levels=[0.25, 1, 2.25, 4], colors=BLUE, alpha=0.35)
        ax.set(aspect="equal", xlim=(0, 2.6), ylim=(0, 2.6), xlabel="x", xticks=[0, 1, 2])
    left.set(ylabel="y", yticks=[0, 1, 2])
    width = np.sqrt(slack)
    left.fill_between(side, 2 - width - side, 2 + width - side, color=ORANGE, alpha=0.5, lw=0)
    left.set_title("value lock\n(x + y - 2)² ≤ 0.05", color=ORANGE)
    right.plot(side, 2 - side, color=GREEN, lw=3)
    right.set_title("argument lock\nx + y = 2", color=GREEN)
    left.text(1.15, 2.2, f"a band of width {2 * width / np.sqrt(2):.2f}", fontsize=9)
    right.text(1.35, 2.2, "nothing to lose", fontsize=9)


def tolerance(figure: Figure) -> None:
    """What giving up some of the first optimum buys of the second."""
    x, limits = workshop()
    levels = {"output": cp.Maximize(cp.sum(x)), "waste": cp.Minimize(x[0])}
    program = lx.preemptive(levels, limits)
    given = np.linspace(0, 1.6, 17)
    waste = lx.tradeoff(program, "output", given).values["waste"]
    price = program.solve().final.price("output")
    ax = figure.subplots()
    ax.plot(given, waste, "o-", color=BLUE, ms=4)
    ax.plot([0, 1.3], [waste[0], waste[0] - 1.3 * price], "--", color=ORANGE)
    line = {"arrowstyle": "-", "color": GREY}
    said, place = f"the price, {price:g}: its slope here", (0.4, waste[0] - 0.4 * price)
    ax.annotate(said, place, (0.55, 1.75), color=ORANGE, arrowprops=line)
    ax.set(xlabel="output given up (atol)", ylabel="waste", ylim=(-0.7, 2.1))


def drift(figure: Figure) -> None:
    """Where a held objective may end, and where it did."""
    ax = figure.subplots()
    ax.axhline(0, color=GREY, lw=1)
    ax.plot([0, 3], [0, 0], color=ORANGE, lw=6, solid_capstyle="butt")
    for place, text in ((0, "optimum"), (3, "limit:\noptimum + tolerance")):
        ax.plot([place] * 2, [-0.25, 0.25], color=GREY)
        ax.text(place, -0.45, text, ha="center", va="top")
    ax.plot(2.1, 0, "o", color=GREEN, ms=11)
    ax.text(2.1, 0.3, "where it ended", color=GREEN, ha="center")
    ax.annotate("", (2.1, 0.9), (0, 0.9), arrowprops={"arrowstyle": "<->", "color": GREEN})
    ax.text(1.05, 1.0, "drift", color=GREEN, ha="center")
    ax.text(4.1, 0.15, "worse →", color=GREY)
    ax.set(xlim=(-1, 5), ylim=(-1.4, 1.5))
    ax.axis("off")


def certificate(figure: Figure) -> None:
    """A point from above, multipliers from below: the optimum lies between."""
    ax = figure.subplots()
    ax.axhline(0, color=GREY, lw=1)
    ax.fill_between([2.0, 3.0], -0.35, 0.35, color=GREEN, alpha=0.25, lw=0)
    for place, color, text in (
        (2.0, ORANGE, "no plan is better than this:\nwhat the multipliers prove"),
        (3.0, BLUE, "a plan that exists:\nthe point that was found"),
    ):
        ax.plot([place] * 2, [-0.35, 0.35], color=color, lw=3)
        ax.text(place, -0.55, text, ha="right" if place < 2.5 else "left", va="top", color=color)
    ax.annotate("", (3.0, 0.75), (2.0, 0.75), arrowprops={"arrowstyle": "<->", "color": GREEN})
    ax.text(2.5, 0.9, "gap: the optimum is in here", ha="center", color=GREEN)
    ax.text(4.3, 0.15, "worse →", color=GREY)
    ax.set(xlim=(0, 5), ylim=(-1.5, 1.4))
    ax.axis("off")


FLOW = [
    ("declare", "model/  formulations/", "subproblems, stages,\nreferences, locks"),
    ("compile", "compile/  cvxpy_adapter/", "references get values,\nCVXPY gives numbers"),
    ("solve", "solve/  backends/", "strategies in order,\na backend each"),
    ("certify", "certify/", "bounds and measures\nfrom the numbers"),
    ("result", "results/", "frozen copies"),
]


def data_flow(figure: Figure) -> None:
    """The engine from a declaration to a result, stage by stage, with the packages of each step."""
    ax = figure.subplots()
    for k, (step, packages, what) in enumerate(FLOW):
        color = (BLUE, BLUE, ORANGE, GREEN, GREEN)[k]
        ax.text(k, 0.32, step, ha="center", weight="bold", color=color)
        ax.text(k, 0.0, what, ha="center", va="center", fontsize=9)
        ax.text(k, -0.42, packages, ha="center", fontsize=8.5, color=GREY, family="monospace")
        ax.add_patch(Rectangle((k - 0.42, -0.27), 0.84, 0.82, fill=False, ec=color, lw=1.5))
        if k + 1 < len(FLOW):
            ax.annotate("", (k + 0.57, 0.14), (k + 0.43, 0.14), arrowprops={"arrowstyle": "->"})
    back = {"arrowstyle": "->", "connectionstyle": "arc3,rad=0.25", "color": GREY}
    ax.annotate("", (1, 0.6), (4, 0.6), arrowprops=back)
    ax.text(2.5, 1.2, "next stage: it reads optima, points and multipliers", ha="center",
            color=GREY)  # fmt: skip
    ax.annotate("", (2, -0.55), (3, -0.55),
                arrowprops=back | {"connectionstyle": "arc3,rad=-0.3"})  # fmt: skip
    ax.text(2.5, -0.93, "not certified: the next strategy", ha="center", color=GREY)
    ax.set(xlim=(-0.5, 4.5), ylim=(-1.05, 1.4))
    ax.axis("off")


def series(figure: Figure) -> None:
    """The processor times of benchmarks/results/series.json, commit by commit, the first as 1."""
    kept = json.loads((BENCHMARKS / "results/series.json").read_text())
    last = [of for of in kept if of["processor"] == kept[-1]["processor"]]
    ax = figure.subplots()
    for k, name in enumerate(last[-1]["ms"]):
        found = [(i, of["ms"][name]) for i, of in enumerate(last) if name in of["ms"]]
        at, took = zip(*found, strict=True)
        ax.plot(at, np.divide(took, took[0]), "osD^vPX*"[k % 8] + "-", ms=5, label=name)
    ax.set_xticks(range(len(last)), [of["commit"] for of in last], rotation=45, ha="right")
    ax.set(ylim=(0, None), ylabel="processor time, the first as 1")
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)


PICTURES = {
    first_then: (4.2, 4.0), face: (4.6, 4.4), locks: (7.2, 4.8), tolerance: (5.6, 3.6),
    drift: (6.0, 2.4), certificate: (6.4, 2.6), data_flow: (9.6, 3.4),
    series: (8.4, 3.6),
}  # fmt: skip


def main(folder: Path) -> None:
    """Draw them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for draw, size in PICTURES.items():
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=size, layout="constrained")
            draw(figure)
            figure.savefig(folder / f"{draw.__name__}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
