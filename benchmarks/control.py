"""Hierarchies of least squares and re-solves as control loops need them, beside other solvers.

A humanoid's control step (LexLS's file) on a smooth walk and on independent jumps; random
hierarchies of six families; programs solved again with new parameters, by `Program.solve` and
compiled. Processor time; every answer is compared with others'.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import cvxpy as cp
import highspy
import numpy as np
from _control_cases import (
    FAMILIES,
    PEERS,
    PUBLISHED,
    Rows,
    daqp_hierarchy,
    humanoid,
    jumps,
    pseudo_inverse_cascade,
    random_rows,
    slack_loop,
    walk,
)
from _measuring import Report, arguments, table

import lexiprog as lx
from lexiprog.least_squares import repeated
from lexiprog.least_squares.active_set import LAPACK
from lexiprog.least_squares.check import check_levels

Step = Callable[[Rows], Any]
NUMPY = (LAPACK, check_levels)
WRONG = 1e-4


def program_of(rows: Rows) -> tuple[lx.CompiledProgram, Step]:
    """A compiled program whose coefficients and ends are all parameters."""
    n, levels = rows.A.shape[1], list(rows.levels())
    x = cp.Variable(n, name="x")
    A = [cp.Parameter(block.shape, name=f"A{k}") for k, (block, _, _) in enumerate(levels)]
    lower = [cp.Parameter(low.size, name=f"lower {k}") for k, (_, low, _) in enumerate(levels)]
    upper = [cp.Parameter(up.size, name=f"upper {k}") for k, (_, _, up) in enumerate(levels)]
    tasks = {f"level {k}": (A[k] @ x, lower[k], upper[k]) for k in range(len(levels))}
    compiled = lx.hierarchical_least_squares(tasks).compile([*A, *lower, *upper])

    def step(rows: Rows) -> Any:
        parts = list(zip(*rows.levels(), strict=True))
        return compiled(*parts[0], *parts[1], *parts[2])

    return compiled, step


def timed_steps(step: Step, cases: Iterable[Rows]) -> tuple[np.ndarray, int, np.ndarray]:
    """Milliseconds of processor time of every step, how many have no optimum, and the levels.

    These are measured at the points, row by row; the results are not kept.
    """
    took, refused, levels = [], 0, []
    for rows in cases:
        begun = time.process_time_ns()
        found = step(rows)
        took.append((time.process_time_ns() - begun) / 1e6)
        refused += found.status != "optimal"
        levels.append(rows.values(found.variables["x"]))
    return np.array(took), refused, np.array(levels)


def spread(took: np.ndarray) -> str:
    return f"{np.median(took):.2f} ({np.quantile(took, 0.95):.2f})"


def on_humanoid(count: int, few: int) -> tuple[str, Any]:
    rows = humanoid()
    records, points, worst = [], {}, 0.0
    for engine, kernel in (("numba", None), ("NumPy alone", NUMPY)):
        usual = repeated.kernel
        if kernel is not None:
            repeated.kernel = lambda made=kernel: made
        try:
            step = program_of(rows)[1]
            values = np.array(list(step(rows).values.values()))
            worst = max(worst, float(np.abs(values - PUBLISHED).max()))
            for name, cases in (("walk", walk), ("jumps", jumps)):
                steps = count if kernel is None else max(count // 5, 1)
                took, refused, levels = timed_steps(step, cases(rows, steps))
                points[engine, name] = levels
                records.append(
                    {"method": f"compiled, {engine}", "case": name, "ms": np.median(took),
                     "p95": np.quantile(took, 0.95), "shown": spread(took), "steps": steps,
                     "refused": refused, "wrong": 0}
                )  # fmt: skip
        finally:
            repeated.kernel = usual
    for record in records:  # one engine is judged by the other, where both took the same step
        one, other = (points[engine, record["case"]] for engine in ("numba", "NumPy alone"))
        apart = np.abs(one[: len(other)] - other).max(axis=1)
        record["wrong"] = int(np.count_nonzero(~(apart <= WRONG)))
    reference = {name: list(cases(rows, few)) for name, cases in (("walk", walk), ("jumps", jumps))}
    step = program_of(rows)[1]
    for name, cases in reference.items():
        wanted = [np.array(list(step(one).values.values())) for one in cases]
        for peer, solve in [("DAQP's own hierarchy", None), *PEERS.items()]:
            records.append(_peer(peer, name, cases, wanted, solve))
    shown = [
        (r["method"], r["case"], r["shown"], r["steps"], r["refused"], r["wrong"]) for r in records
    ]
    text = table(("method", "case", "ms, median (95 %)", "steps", "refused", "wrong"), shown)
    about = (
        f"The five levels of the published step are right to {worst:.1e}. Compiled steps are "
        f"checked. Wrong: a level that differs by more than {WRONG:g} from ours or, of ours, "
        "between numba and NumPy."
    )
    return f"{about}\n\n{text}", {"steps": records, "worst": worst}


def _peer(peer: str, case: str, cases: list[Rows], wanted: list[np.ndarray], solve: Any) -> Any:
    took, refused, wrong = [], 0, 0
    for rows, values in zip(cases, wanted, strict=True):
        begun = time.process_time_ns()
        try:
            x = daqp_hierarchy(rows) if solve is None else slack_loop(rows, solve)
        except ImportError:
            return {"method": f"{peer} (not installed)", "case": case, "shown": "-",
                    "steps": 0, "refused": 0, "wrong": 0}  # fmt: skip
        except Exception:  # noqa: BLE001 - each has errors of its own
            refused += 1
            continue
        took.append((time.process_time_ns() - begun) / 1e6)
        wrong += bool(np.max(np.abs(rows.values(x) - values)) > WRONG)
    shown = spread(np.array(took)) if took else "-"
    return {"method": peer, "case": case, "shown": shown, "steps": len(cases), "refused": refused,
            "wrong": wrong}  # fmt: skip


def on_families(count: int, few: int) -> tuple[str, Any]:
    lines = []
    for family in FAMILIES:
        cold, warm, optimal, off = [], [], 0, 0.0
        peers = {name: [0, 0] for name in ("DAQP, level by level", "quadprog, level by level")}
        for seed in range(count):
            rows = random_rows(seed, family)
            step = program_of(rows)[1] if seed < few else None
            found = lx.hierarchical_least_squares(
                _tasks(rows, x := cp.Variable(rows.A.shape[1], name="x"))
            ).solve()
            optimal += all(s.status == "optimal" and s.rank for s in found.values())
            if "inequalities" not in family:
                wanted = pseudo_inverse_cascade(rows)
                at, ours = rows.A @ wanted, rows.A @ found.final[x]
                off = max(
                    off, float(np.max(np.abs(at - ours)) / np.max(np.abs(rows.A) @ np.abs(wanted)))
                )
            if step is None:
                continue
            took = timed_steps(step, [rows] * 8)[0]
            cold.append(took[0])
            warm.append(np.median(took[2:]))
            values = np.array([s.value for s in found.values()])
            for name, counts in peers.items():
                record = _peer(name, family, [rows], [values], PEERS[name])
                counts[0] += record["steps"] - record["refused"] - record["wrong"]
                counts[1] += record["steps"]  # none of who is not installed
        lines.append(
            {"family": family, "optimal": optimal, "of": count, "off": off,
             "cold": float(np.median(cold)), "warm": float(np.median(warm)),
             "peers": {name: f"{a} of {b}" for name, (a, b) in peers.items()}}
        )  # fmt: skip
    text = table(
        ("family", "optimal", "off", "first ms", "again ms", *lines[0]["peers"]),
        [
            (r["family"], f"{r['optimal']} of {r['of']}",
             "-" if "inequalities" in r["family"] else f"{r['off']:.1e}", f"{r['cold']:.3f}",
             f"{r['warm']:.3f}", *r["peers"].values())
            for r in lines
        ],
    )  # fmt: skip
    about = (
        "Off: distances from the pseudo-inverse cascade over the rows' terms. Times of a compiled "
        "step with its check: at first, and with the same numbers again."
    )
    return f"{about}\n\n{text}", lines


def _tasks(rows: Rows, x: cp.Variable) -> dict[str, Any]:
    return {
        f"level {k}": (block @ x, lower, upper)
        for k, (block, lower, upper) in enumerate(rows.levels())
    }


# Programs solved again with new parameters.


def in_turns(works: dict[str, Callable[[int], Any]], rounds: int) -> dict[str, float]:
    """Median milliseconds of each, one after the other in every round."""
    took: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 2):
        for name, work in works.items():
            begun = time.process_time_ns()
            work(turn)
            if turn >= 2:
                took[name].append((time.process_time_ns() - begun) / 1e6)
    return {name: float(np.median(times)) for name, times in took.items()}


def one_problem(
    kind: str, rows: int, spread_by: float
) -> tuple[cp.Problem, cp.Parameter, np.ndarray]:
    rng = np.random.default_rng(rows)
    n = max(5, (4 * rows) // 5)
    units = 10.0 ** rng.uniform(-spread_by, spread_by, (2, max(rows, n)))
    A = rng.random((rows, n)) * units[0, :rows, None] * units[1, :n]
    x, demand = cp.Variable(n, nonneg=True, name="x"), cp.Parameter(rows, name="demand")
    cost = rng.random(n) * units[1, :n]
    objective = {
        "LP": cost @ x,
        "QP": cp.sum_squares(cp.multiply(units[1, :n], x)) + cost @ x,
        "SOCP": cp.norm(cp.multiply(units[1, :n], x)) + cost @ x,
    }[kind]
    problem = cp.Problem(cp.Minimize(objective), [A @ x >= demand])
    return problem, demand, A.sum(1)


def again_with_solve(sizes: Sequence[int], rounds: int) -> tuple[str, Any]:
    lines = [
        {"kind": kind, "spread": spread_by, "rows": rows}
        | one_again(kind, rows, spread_by, rounds if rows < 200 else max(rounds // 3, 3))
        for kind in ("LP", "QP", "SOCP")
        for spread_by in (0.0, 3.0)
        for rows in sizes
    ]
    text = table(
        ("kind", "coefficients", "rows", "lexiprog ms", "plain CVXPY ms", "ratio"),
        [
            (r["kind"], "1e-3..1e3" if r["spread"] else "even", r["rows"], f"{r['lexiprog']:.2f}",
             f"{r['cvxpy']:.2f}", f"{r['lexiprog'] / r['cvxpy']:.2f}")
            for r in lines
        ],
    )  # fmt: skip
    return text, lines


def one_again(kind: str, rows: int, spread_by: float, rounds: int) -> dict[str, float]:
    problem, demand, size = one_problem(kind, rows, spread_by)
    program = lx.Program(lx.Stage("only", lx.Subproblem("p", problem)))
    solver = "HIGHS" if kind == "LP" else "CLARABEL"
    rng = np.random.default_rng(0)
    sides = [size * (0.3 + 0.1 * rng.random(rows)) for _ in range(rounds + 2)]

    def plain(turn: int) -> None:
        demand.value = sides[turn]
        problem.solve(solver=solver)

    def ours(turn: int) -> None:
        demand.value = sides[turn]
        program.solve(solver)

    return in_turns({"cvxpy": plain, "lexiprog": ours}, rounds)


def hierarchies_again(rounds: int) -> tuple[str, Any]:
    lines = [five_levels(rounds), three_stages(rounds)]
    text = table(
        ("program", "lexiprog ms", "loop by hand ms", "ratio"),
        [
            (r["program"], f"{r['lexiprog']:.2f}", f"{r['hand']:.2f}",
             f"{r['lexiprog'] / r['hand']:.2f}")
            for r in lines
        ],
    )  # fmt: skip
    return text, lines


def five_levels(rounds: int) -> dict[str, Any]:
    """Five tasks with slacks on 28 variables, as one writes them for CVXPY."""
    rng = np.random.default_rng(0)
    x = cp.Variable(28, name="x")
    blocks = [rng.normal(size=(5, 28)) for _ in range(5)]
    targets = [cp.Parameter(5, name=f"target {k}") for k in range(5)]
    slacks = [cp.Variable(5, name=f"slack {k}") for k in range(5)]
    links = [b @ x - v <= t for b, v, t in zip(blocks, slacks, targets, strict=True)]
    links += [b @ x - v >= t - 0.5 for b, v, t in zip(blocks, slacks, targets, strict=True)]
    links += [x <= 1, x >= -1]
    squares = [cp.sum_squares(v) for v in slacks]
    program = lx.preemptive({f"l{k}": cp.Minimize(s) for k, s in enumerate(squares)}, links)
    limits = [cp.Parameter(nonneg=True) for _ in range(5)]
    loop = [
        cp.Problem(cp.Minimize(s), links + [squares[j] <= limits[j] for j in range(k)])
        for k, s in enumerate(squares)
    ]
    values = [[rng.normal(size=5) for _ in range(5)] for _ in range(rounds + 2)]

    def hand(turn: int) -> None:
        for parameter, value in zip(targets, values[turn], strict=True):
            parameter.value = value
        for k, problem in enumerate(loop):
            problem.solve(solver="CLARABEL")
            limits[k].value = max(problem.value, 0.0) + 1e-6

    def ours(turn: int) -> None:
        for parameter, value in zip(targets, values[turn], strict=True):
            parameter.value = value
        program.solve()

    return {"program": "five-level QP, 28 variables"} | in_turns(
        {"lexiprog": ours, "hand": hand}, rounds
    )


def three_stages(rounds: int) -> dict[str, Any]:
    """Two ideals and their compromise, by references."""
    rng = np.random.default_rng(0)
    x, worst = cp.Variable(10, bounds=[0, 10], name="x"), cp.Variable(name="worst")
    A, demand = rng.random((10, 10)), cp.Parameter(10, name="demand")
    costs = rng.random((2, 10))
    rows = [A @ x >= demand]
    ideals = [lx.Subproblem(f"ideal {k}", cp.Minimize(c @ x), rows) for k, c in enumerate(costs)]
    near = [c @ x <= i.optimum + worst for c, i in zip(costs, ideals, strict=True)]
    fair = lx.Subproblem("fair", cp.Minimize(worst), rows + near)
    program = lx.Program(
        lx.Stage("one", ideals[0]), lx.Stage("two", ideals[1]), lx.Stage("three", fair)
    )
    optima = [cp.Parameter() for _ in costs]
    loop = [cp.Problem(cp.Minimize(c @ x), rows) for c in costs]
    reached = [c @ x <= o + worst for c, o in zip(costs, optima, strict=True)]
    last = cp.Problem(cp.Minimize(worst), rows + reached)
    sides = [rng.random(10) + 1 for _ in range(rounds + 2)]

    def hand(turn: int) -> None:
        demand.value = sides[turn]
        for problem, optimum in zip(loop, optima, strict=True):
            problem.solve(solver="HIGHS")
            optimum.value = problem.value
        last.solve(solver="HIGHS")

    def ours(turn: int) -> None:
        demand.value = sides[turn]
        program.solve()

    return {"program": "three stages with references"} | in_turns(
        {"lexiprog": ours, "hand": hand}, rounds
    )


def compiled_again(rounds: int) -> tuple[str, Any]:
    lines = []
    for rows, n in ((10, 10), (25, 20), (50, 40)):
        lines += [compiled_lp(rows, n, rounds), compiled_qp(rows, n, rounds)]
    lines += [compiled_chain(rounds)]
    text = table(
        ("program", "compiled us", "peer us", "peer"),
        [
            (r["program"], f"{1e3 * r['compiled']:.0f}", f"{1e3 * r['peer']:.0f}", r["who"])
            for r in lines
        ],
    )
    return text, lines


def _highs(A: np.ndarray, cost: np.ndarray) -> highspy.Highs:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("presolve", "off")
    lp, (m, n) = highspy.HighsLp(), A.shape
    lp.num_row_, lp.num_col_, lp.col_cost_ = m, n, cost
    lp.col_lower_, lp.col_upper_ = np.zeros(n), np.full(n, 10.0)
    lp.row_lower_, lp.row_upper_ = np.zeros(m), np.full(m, highspy.kHighsInf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.arange(m + 1) * n
    lp.a_matrix_.index_, lp.a_matrix_.value_ = np.tile(np.arange(n), m), A.ravel()
    model.passModel(lp)
    return model


def _sides(A: np.ndarray, rounds: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    base = A.sum(1) * rng.uniform(0.5, 1, A.shape[0])
    return [base * (1 + 0.02 * rng.normal(size=base.size)) for _ in range(rounds + 2)]


def compiled_lp(rows: int, n: int, rounds: int) -> dict[str, Any]:
    rng = np.random.default_rng(rows)
    A, cost = rng.random((rows, n)), rng.random(n)
    x, demand = cp.Variable(n, bounds=[0, 10], name="x"), cp.Parameter(rows, name="demand")
    step = lx.preemptive({"cost": cp.Minimize(cost @ x)}, [A @ x >= demand]).compile([demand])
    model, sides, every = _highs(A, cost), _sides(A, rounds), np.arange(rows, dtype=np.int32)
    open_end = np.full(rows, highspy.kHighsInf)

    def peer(turn: int) -> None:
        model.changeRowsBounds(rows, every, sides[turn], open_end)
        model.run()

    took = in_turns({"compiled": lambda turn: step(sides[turn]), "peer": peer}, rounds)
    return {"program": f"LP, {rows} rows", "who": "HiGHS, warm"} | took


def compiled_qp(rows: int, n: int, rounds: int) -> dict[str, Any]:
    import daqp

    rng = np.random.default_rng(rows)
    A, cost, root = rng.random((rows, n)), rng.random(n), rng.normal(size=(n, n))
    H = root @ root.T + np.eye(n)
    x, demand = cp.Variable(n, name="x"), cp.Parameter(rows, name="demand")
    objective = cp.Minimize(0.5 * cp.quad_form(x, H) + cost @ x)
    step = lx.preemptive({"cost": objective}, [A @ x >= demand]).compile([demand])
    sides, model = _sides(A, rounds), daqp.Model()
    model.setup(H, cost, -A, -sides[0], np.full(rows, -1e30))

    def peer(turn: int) -> None:
        model.update(bupper=-sides[turn])
        model.solve()

    took = in_turns({"compiled": lambda turn: step(sides[turn]), "peer": peer}, rounds)
    return {"program": f"QP, {rows} rows", "who": "DAQP, updated"} | took


def compiled_chain(rounds: int) -> dict[str, Any]:
    """Three linear levels of 10 rows, beside HiGHS's own lexicographic mode."""
    rng = np.random.default_rng(0)
    A, costs = rng.random((10, 10)), rng.random((3, 10))
    x, demand = cp.Variable(10, bounds=[0, 10], name="x"), cp.Parameter(10, name="demand")
    program = lx.preemptive(
        {f"c{k}": cp.Minimize(c @ x) for k, c in enumerate(costs)}, [A @ x >= demand]
    )
    step, model, sides = program.compile([demand]), _highs(A, costs[0]), _sides(A, rounds)
    for priority, cost in enumerate(costs):
        linear = highspy.HighsLinearObjective()
        linear.coefficients, linear.priority, linear.weight = cost, 10 - priority, 1.0
        linear.offset, linear.abs_tolerance, linear.rel_tolerance = 0.0, 0.0, 0.0
        model.addLinearObjective(linear)
    model.setOptionValue("blend_multi_objectives", False)
    every, open_end = np.arange(10, dtype=np.int32), np.full(10, highspy.kHighsInf)

    def peer(turn: int) -> None:
        model.changeRowsBounds(10, every, sides[turn], open_end)
        model.run()

    took = in_turns({"compiled": lambda turn: step(sides[turn]), "peer": peer}, rounds)
    return {"program": "three linear levels, 10 rows", "who": "HiGHS's own mode"} | took


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    report = Report("control", "In a control loop")
    quick = options.quick
    report.section(
        "A humanoid's step", *_keyed(on_humanoid(*((20, 2) if quick else (5_000, 25))), "humanoid")
    )
    report.section(
        "Random hierarchies", *_keyed(on_families(*((4, 1) if quick else (300, 30))), "families")
    )
    sizes = (10,) if quick else (10, 50, 200)
    report.section(
        "One problem again, by solve", *_keyed(again_with_solve(sizes, 3 if quick else 30), "solve")
    )
    report.section(
        "Hierarchies again, by solve", *_keyed(hierarchies_again(2 if quick else 20), "hierarchies")
    )
    report.section("Compiled, again", *_keyed(compiled_again(5 if quick else 300), "compiled"))
    report.write(options.out)
    return 0


def _keyed(found: tuple[str, Any], key: str) -> tuple[str, str, Any]:
    return found[0], key, found[1]


if __name__ == "__main__":
    sys.exit(main())
