"""Whole curves against one cold solve; fronts against published ones, brute force and pyaugmecon.

Every figure comes with a comparison of answers: a curve that is not exact or not where HiGHS finds
it, and a front that lacks a point, end the run. LEXIPROG_RIVALS names a Python that has pyaugmecon
and Gurobi, if this one has not. 2KP100-50 takes minutes and is one of the nightly tests. Fronts
with thousands of points are those of ``front_knapsacks.py``. ``--only`` measures some sections and
keeps the others of the result file; each says what it aims at.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import _front_instances as instances
import cvxpy as cp
import highspy
import numpy as np
import scipy.sparse as sp
from _measuring import Clock, PieceReport, Report, arguments, median, ratio, seconds, table

import lexiprog as lx

PAGE = Path(__file__).parents[1] / "docs/check_fronts.py"
PUBLISHED = json.loads((Path(__file__).parent / "published_fronts.json").read_text())
REPEATS = 3
PATIENCE = 75  # seconds for one front of the rival
# Processor seconds that are aimed at, by problem.
AIMS = {
    "12 binaries, 3 objectives": 0.5, "12 binaries, 4 objectives": 0.5,
    "10 x 10": 2.0, "random, 3 objectives, 30 x 30": 1.0, "random, 4 objectives, 20 x 20": 3.0,
}  # fmt: skip
# Solves after which mocvxpy's own tests expect its three methods to stop at their limit.
MOCVXPY = (103, 353)


def clocked(work: Callable[[], Any]) -> tuple[Clock, Any]:
    """Wall and processor time, that of child processes included."""

    def cpu() -> float:
        used = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(u.ru_utime + u.ru_stime for u in used)

    wall, before = time.perf_counter(), cpu()
    found = work()
    return Clock(time.perf_counter() - wall, cpu() - before), found


def aimed(cpu: float, name: str) -> str:
    """Processor seconds beside those that are aimed at, if any are."""
    if name not in AIMS:
        return "-"
    return f"{AIMS[name]:g} s: {'met' if cpu < AIMS[name] else 'missed'}"


def covering(rows: int, looks: int, seed: int) -> tuple[Any, ...]:
    """Demands on neighbouring columns; the second cost looks at some of the columns."""
    rng, size = np.random.default_rng(seed), 3 * rows // 2
    near = ((np.arange(rows) * size) // rows)[:, None] + rng.integers(0, 12, (rows, 6))
    entries = rng.integers(1, 10, (rows, 6)).ravel().astype(float)
    A = sp.csr_array((entries, (np.repeat(np.arange(rows), 6), near.ravel() % size)), (rows, size))
    A.sum_duplicates()  # an older scipy keeps them, and HiGHS refuses such a matrix
    second = np.zeros(size)
    second[rng.choice(size, looks, replace=False)] = rng.uniform(1, 5, looks)
    return A, A @ rng.uniform(0, 3, size), rng.uniform(1, 10, size), second


def highs_optimum(A: Any, demand: Any, cost: Any, held: Any = None, limit: float = 0.0) -> float:
    """One cold solve with arrays; with a limit on another cost if one is given."""
    rows, lower = A, demand
    upper = np.full(demand.size, np.inf)
    if held is not None:
        rows = sp.csr_array(sp.vstack([A, held[None, :]]))
        lower, upper = np.append(lower, -np.inf), np.append(upper, limit)
    A = sp.csc_array(rows)
    highs, model = highspy.Highs(), highspy.HighsLp()
    highs.setOptionValue("output_flag", False)
    model.num_row_, model.num_col_ = A.shape
    model.col_cost_, model.col_lower_, model.col_upper_ = (
        cost,
        np.zeros(cost.size),
        np.full(cost.size, 10.0),
    )
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = (
        A.indptr,
        A.indices,
        A.data,
    )
    highs.passModel(model)
    highs.run()
    return float(highs.getInfo().objective_function_value)


def curves(report: Report, rows: int, looks: int, seeds: Sequence[int]) -> None:
    """A whole curve, from the declared program to the last breakpoint, over cold solves."""
    lines, data = [], []
    for seed in seeds:
        A, demand, first, second = covering(rows, looks, seed)
        x = cp.Variable(first.size, bounds=[0, 10], name="x")
        levels = {"cost": cp.Minimize(first @ x), "use": cp.Minimize(second @ x)}
        program = lx.preemptive(levels, [A @ x >= demand])
        program.solve()  # compiles, for both that follow
        clocks: dict[str, list[Clock]] = {"highs": [], "solve": [], "curve": []}
        for _ in range(REPEATS):
            clock, best = clocked(partial(highs_optimum, A, demand, first))
            clocks["highs"].append(clock)
            clocks["solve"].append(clocked(program.solve)[0])
            clock, curve = clocked(partial(lx.tradeoff, program, "cost"))
            clocks["curve"].append(clock)
        if curve.errors["use"] != 0.0:
            raise SystemExit(f"seed {seed}: the curve is not exact: {curve.notes}")
        worst = 0.0
        for t in np.random.default_rng(seed).uniform(0.0, 1.1 * curve.tolerances[-1], 20):
            found = highs_optimum(A, demand, second, first, best + t)
            worst = max(worst, abs(curve.at(t)["use"] - found) / (1.0 + abs(found)))
        if worst > 1e-6:
            raise SystemExit(f"seed {seed}: the curve is off by {worst:.1e}")
        middle = {name: median(found) for name, found in clocks.items()}
        over = {name: ratio(middle["curve"], middle[name]) for name in ("highs", "solve")}
        lines.append([seed, len(curve.tolerances), seconds(middle["highs"].cpu),
                      seconds(middle["curve"].cpu), f"{over['highs'].cpu:.1f}",
                      f"{over['solve'].cpu:.1f}", f"{worst:.0e}"])  # fmt: skip
        data.append({"seed": seed, "breakpoints": len(curve.tolerances), "off": worst} | middle)
    head = ["seed", "breakpoints", "cold HiGHS", "curve", "over cold HiGHS", "over solve()", "off"]
    text = table(head, lines)
    report.section(f"The whole curve of {rows} rows (cpu)", text, "curves", data)


def ours(known: dict[str, Any]) -> list[tuple[float, ...]]:
    take = cp.Variable(len(known["weights"]), boolean=True, name="take")
    one, other = (np.array(gains) @ take for gains in known["values"])
    room = [np.array(known["weights"]) @ take <= known["capacity"]]
    front = lx.frontier({"one": cp.Maximize(one), "other": cp.Maximize(other)}, room)
    if not front.complete:
        raise SystemExit(f"a front is not complete: {front.notes}")
    return [tuple(map(float, point)) for point in front.points]


def pyaugmecon(known: dict[str, Any]) -> tuple[Clock, list[tuple[float, ...]]]:
    """The rival in a process of its own, which may be another Python's; it takes its own time."""
    python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
    script = Path(__file__).with_name("_pyaugmecon_front.py")
    try:
        told = subprocess.run(
            [python, str(script)], input=json.dumps(known), capture_output=True, text=True,
            check=False, timeout=PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"over {PATIENCE} s") from None
    if told.returncode:
        raise RuntimeError(told.stderr.strip().splitlines()[-1][:60])
    found = json.loads(told.stdout.splitlines()[-1])
    return Clock(found["wall"], found["cpu"]), [tuple(point) for point in found["points"]]


def fronts(report: Report, names: Sequence[str]) -> None:
    """Published knapsacks: our points and pyaugmecon's against those in print."""
    lines, data = [], []
    for name in names:
        known = PUBLISHED[name]
        wanted = [tuple(map(float, point)) for point in known["points"]]
        clock, points = clocked(partial(ours, known))
        if points != wanted:
            raise SystemExit(f"{name}: {len(points)} points, not the {len(wanted)} in print")
        entry: dict[str, Any] = {"name": name, "points": len(points), "lexiprog": clock}
        over = None
        try:
            rival, theirs = pyaugmecon(known)
            same = len(set(theirs) & set(wanted))
            over = ratio(clock, rival)
            said = f"{seconds(rival.cpu)}, {same} of {len(wanted)} points"
            entry |= {"pyaugmecon": rival, "pyaugmecon points": same}
        except RuntimeError as error:  # a rival that is missing or fails is a result
            said = str(error)
        shown = ["-", "-"] if over is None else [f"{over.cpu:.2f}", f"{over.wall:.2f}"]
        lines.append([name, len(points), seconds(clock.cpu), said, *shown])
        data.append(entry)
    head = ["instance", "points, all in print", "lexiprog (HiGHS)", "pyaugmecon (Gurobi)",
            "ratio, cpu", "ratio, wall"]  # fmt: skip
    report.section(
        "Integer fronts (cpu; ratios of lexiprog to pyaugmecon)", table(head, lines), "fronts", data
    )


def proved(front: Any) -> tuple[float, float]:
    """Megabytes of a front's proof, and the seconds in which the page of the docs checks it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        front.proof.save(path)
        command = [sys.executable, str(PAGE), str(path)]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode not in (0, 3):  # 3: some of it on trust
        raise SystemExit(f"a proof is refused: {told.stderr}")
    size, checked = re.findall(r"\(([\d.]+) MB, ([\d.]+) s\)", told.stdout)[0]
    return float(size), float(checked)


def partitions(report: Report, names: Sequence[str]) -> None:
    """Set partitioning of vOptLib: the same points."""
    lines, data = [], []
    for name in names:
        aims, rows, wanted = instances.set_partitioning(name)
        clock, front = clocked(partial(lx.frontier, aims, rows))
        if sorted(map(tuple, front.points.tolist())) != wanted:
            raise SystemExit(f"{name}: {len(front)} points, not the {len(wanted)} of vOptLib")
        size, checked = proved(front)
        lines.append(
            [name, len(front), seconds(clock.cpu), front.proof.trusted, f"{checked:.1f} s"]
        )
        print(lines[-1], flush=True)
        data.append({"name": name, "points": len(front), "clock": clock, "megabytes": size})
    head = ["instance", "points, all in vOptLib", "lexiprog (cpu)", "by a solver's word",
            "proof checked in"]  # fmt: skip
    report.section("Set partitioning, two objectives", table(head, lines), "partitions", data)


def brute(values: Any) -> list[list[float]]:
    """Non-dominated rows of values to maximise."""
    values = np.unique(values, axis=0)
    beaten = [np.any(np.all(values >= v, axis=1) & np.any(values > v, axis=1)) for v in values]
    return values[~np.array(beaten)].astype(float).tolist()


def small(report: Report) -> None:
    """Three and four objectives on 12 binaries, beside brute force."""
    lines, data = [], []
    for count in (3, 4):
        rng = np.random.default_rng(count)
        weights, *gains = rng.integers(1, 50, (count + 1, 12))
        take = cp.Variable(12, boolean=True, name="take")
        aims = {f"f{k}": cp.Maximize(g @ take) for k, g in enumerate(gains)}
        clock, front = clocked(partial(lx.frontier, aims, [weights @ take <= weights.sum() // 2]))
        every = np.array(list(product([0, 1], repeat=12)))
        every = every[every @ weights <= weights.sum() // 2]
        by_hand, wanted = clocked(partial(brute, every @ np.array(gains).T))
        if front.points.tolist() != wanted:
            raise SystemExit("a small front is not that of brute force")
        proved(front)
        name = f"12 binaries, {count} objectives"
        lines.append([name, len(front), seconds(clock.cpu), aimed(clock.cpu, name),
                      seconds(by_hand.cpu)])  # fmt: skip
        data.append({"name": name, "points": len(front), "clock": clock, "brute force": by_hand})
    head = ["problem", "points, all of brute force", "lexiprog (cpu)", "aim", "brute force (cpu)"]
    report.section("Small integer problems (cpu)", table(head, lines), "small", data)


def assignments(report: Report, sizes: Sequence[int]) -> None:
    """Assignments of three objectives."""
    lines, data = [], []
    for size in sizes:
        aims, rows = instances.assignment(size)
        clock, front = clocked(partial(lx.frontier, aims, rows, time_limit=1800))
        size_of, checked = proved(front) if front.complete else (0.0, 0.0)
        name = f"{size} x {size}"
        lines.append([name, len(front), "to the end" if front.complete else f"{front.open:.2g}",
                      seconds(clock.cpu), aimed(clock.cpu, name), front.proof.trusted,
                      f"{size_of:.2f} MB", f"{checked:.1f} s"])  # fmt: skip
        print(lines[-1], flush=True)
        data.append({"name": name, "points": len(front), "clock": clock, "open": front.open,
                     "trusted": front.proof.trusted, "checked": checked})  # fmt: skip
    head = ["size", "points", "still open", "lexiprog (cpu)", "aim", "by a solver's word", "proof",
            "checked in"]  # fmt: skip
    report.section("Assignments, three objectives (cpu)", table(head, lines), "assignments", data)


def images(report: Report, shapes: Sequence[tuple[int, int, int]], examples: Sequence[str]) -> None:
    """Linear problems: every vertex and facet, and what they took."""
    lines, data = [], []
    problems = [(f"random, {p} objectives, {n} x {m}", partial(instances.linear, p, n, m))
                for p, n, m in shapes]  # fmt: skip
    problems += [(f"Bensolve's {name}", partial(instances.bensolve, name)) for name in examples]
    for name, make in problems:
        try:
            aims, rows = make()
            front_of = partial(lx.frontier, aims, rows, solver=lx.Solver("EXACT"), time_limit=300)
            clock, front = clocked(front_of)
        except FileNotFoundError:
            continue
        except lx.StageError as error:  # a result as well: there is no front
            lines.append([name, error.status.value, "-", "-", "-", "-", "-"])
            continue
        image = front.state
        if front.complete:
            proved(front)
        if image.solves > len(front) + len(front.facets) and front.directions is None:
            raise SystemExit(f"{name}: {image.solves} programs")
        said = seconds(clock.cpu) if front.complete else f"stopped after {seconds(clock.cpu)}"
        ways = 0 if front.directions is None else len(front.directions)
        lines.append([name, len(front), len(front.facets), ways, image.solves, said,
                      aimed(clock.cpu, name)])  # fmt: skip
        print(lines[-1], flush=True)
        data.append({"name": name, "vertices": len(front), "facets": len(front.facets),
                     "programs": image.solves, "complete": front.complete,
                     "clock": clock})  # fmt: skip
    head = ["problem", "vertices", "facets", "directions", "linear programs", "lexiprog (cpu)",
            "aim"]  # fmt: skip
    report.section("Linear fronts, exact (cpu)", table(head, lines), "images", data)


def convex(report: Report, names: Sequence[str], error: float) -> None:
    """Fronts of mocvxpy's examples: how well they are known when it stops, and the whole."""
    lines, data = [], []
    for name in names:
        aims, rows = instances.convex(name)
        known, reached, spent = None, [], 0.0
        for limit in (*MOCVXPY, None):
            front_of = partial(lx.frontier, aims, rows, error=error, limit=limit, resume=known)
            clock, known = clocked(front_of)
            reached.append(known.error)
            spent += clock.cpu
        proved(known) if known.complete else None
        solves = len(known.state.ends) + len(known.state.solutions)
        lines.append([name, *(f"{e:.2g}" for e in reached), solves, len(known), seconds(spent)])
        print(lines[-1], flush=True)
        data.append({"name": name, "reached": reached, "solves": solves, "points": len(known),
                     "cpu": spent})  # fmt: skip
    head = ["problem", *(f"error after {count} solves" for count in MOCVXPY), "at the end",
            "solves by then", "points", "lexiprog (cpu)"]  # fmt: skip
    text = table(head, lines)
    report.section(f"Convex fronts of three objectives, error {error:g}", text, "convex", data)


def sections(report: Report, *, quick: bool) -> dict[str, Callable[[], None]]:
    """Everything that is measured, by name."""
    examples = [f"ex{k:02d}" for k in ((1, 6) if quick else range(1, 12))]
    shapes = [(3, 10, 6)] if quick else [(3, 30, 30), (4, 20, 20), (5, 10, 6)]
    known = ["knapsack17", "2KP50-92"] + ([] if quick else ["2KP50-11", "2KP50-50"])
    curved = ["squares", "ellipsoid", "fourth", "quadratic", "distances"]
    found = {
        "curves": partial(curves, report, *((60, 8, [0]) if quick else (1000, 30, range(6)))),
        "fronts": partial(fronts, report, known),
        "small": partial(small, report),
        "assignments": partial(assignments, report, [6] if quick else [10, 15]),
        "images": partial(images, report, shapes, examples),
        "convex": partial(convex, report, *((curved[:1], 0.05) if quick else (curved, 1e-3))),
    }
    if instances.FOLDER.is_dir():
        names = ["didactic"] if quick else ["didactic", "sppnw41", "sppnw32"]
        found["partitions"] = partial(partitions, report, names)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    names = ["curves", "fronts", "small", "assignments", "images", "convex", "partitions"]
    options = arguments(__doc__, argv, names)
    warnings.simplefilter("ignore", lx.LexiprogWarning)
    report = PieceReport("fronts", "Curves and fronts", options.out)
    for name, measure in sections(report, quick=options.quick).items():
        if name in options.only:
            measure()


if __name__ == "__main__":
    main()
