"""Many scenarios of one linear program, against solving one by one, and against others' loops.

Right-hand sides of a covering problem vary along a path, with a few factors, or each by itself.
highspy is the loop one writes by hand: change the limits, run again. manylp answers batches of
linear programs whose bounds vary; cobra brings a model of E. coli and its own flux variability
analysis: the least and the largest flux of every reaction at the largest growth. Both run in a
process of their own, by the Python that LEXIPROG_RIVALS names. Every optimum is compared with
HiGHS from scratch, or with cobra's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import cvxpy as cp
import highspy
import numpy as np
import scipy.sparse as sp
from _measuring import Report, arguments, seconds, table, timed
from _sweep_rivals import asked

import lexiprog as lx

Answer = tuple[float, np.ndarray]  # processor time, and what was found
AIM = "Aim: 500 right-hand sides of 1,000 rows, ten times faster than one by one."


def covering(rows: int, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = (6 * rows) // 10
    A = sp.random(
        rows, columns, density=min(1.0, 20 / rows), random_state=1,
        data_rvs=lambda k: rng.uniform(0.1, 1, k),
    ).tocsr()  # fmt: skip
    return A, rng.uniform(1, 2, columns), rng.uniform(0.5, 1, rows) * np.asarray(A.sum(1)).ravel()


def right_hand_sides(base: np.ndarray, count: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    factors = rng.standard_normal((5, base.size)) / np.sqrt(5)
    weights = rng.uniform(-1, 1, (count, 5))
    return {
        "a path": base * (1 + 0.3 * np.linspace(0, 1, count)[:, None] * (factors[0] > 0)),
        "five factors": base * (1 + 0.02 * weights @ factors),
        "each alone, 0.2 %": base * (1 + 0.002 * rng.standard_normal((count, base.size))),
        "each alone, 2 %": base * (1 + 0.02 * rng.standard_normal((count, base.size))),
    }


def by_sweep(A: Any, cost: np.ndarray, sides: np.ndarray) -> np.ndarray:
    program, side = model(A, cost)
    return lx.sweep(program, {side: sides}).values["cost"]


def one_by_one(A: Any, cost: np.ndarray, sides: np.ndarray) -> np.ndarray:
    program, side = model(A, cost)
    out = []
    for values in sides:
        side.value = values
        out.append(program.solve(workers=1)["cost"].value)
    return np.array(out)


def by_highspy(A: Any, cost: np.ndarray, sides: np.ndarray, *, warm: bool = True) -> np.ndarray:
    rows = A.shape[0]
    every, most = np.arange(rows, dtype=np.int32), np.full(rows, highspy.kHighsInf)
    highs, out = load(A, cost, sides[0]), []
    for values in sides:
        highs.changeRowsBounds(rows, every, values, most)
        if not warm:
            highs.clearSolver()
        highs.run()
        out.append(highs.getInfo().objective_function_value)
    return np.array(out)


def by_manylp(A: Any, cost: np.ndarray, sides: np.ndarray) -> Answer:
    A = sp.csr_array(A)
    arrays = {"data": A.data, "indices": A.indices, "indptr": A.indptr, "shape": A.shape}
    found = asked("manylp", cost=cost, sides=sides, **arrays)
    return float(found["cpu"]), found["values"]


def model(A: Any, cost: np.ndarray) -> tuple[lx.Program, cp.Parameter]:
    x = cp.Variable(A.shape[1], nonneg=True, name="x")
    side = cp.Parameter(A.shape[0], name="side")
    return lx.preemptive({"cost": cp.Minimize(cost @ x)}, [A @ x >= side]), side


def load(A: Any, cost: np.ndarray, side: np.ndarray) -> Any:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    lp, A = highspy.HighsLp(), sp.csc_array(A)
    lp.num_row_, lp.num_col_ = A.shape
    lp.col_cost_, lp.col_lower_ = cost, np.zeros(cost.size)
    lp.col_upper_ = np.full(cost.size, highspy.kHighsInf)
    lp.row_lower_, lp.row_upper_ = side, np.full(side.size, highspy.kHighsInf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
    highs.passModel(lp)
    return highs


METHODS: dict[str, Callable[..., Any]] = {
    "lexiprog.sweep": by_sweep,
    "one by one": one_by_one,
    "highspy, warm": by_highspy,
    "manylp": by_manylp,
}
# Slow loops see the first scenarios only.
SLOW = {"one by one": 1, "manylp": 2}


def compare(
    name: str, A: Any, cost: np.ndarray, sides: np.ndarray, few: int
) -> list[dict[str, Any]]:
    """Processor time a scenario."""
    truth = by_highspy(A, cost, sides[:few], warm=False)
    out: list[dict[str, Any]] = []
    for label, method in METHODS.items():
        count = min(SLOW[label] * few if label in SLOW else len(sides), len(sides))
        try:
            clock, found = timed(lambda m=method, n=count: m(A, cost, sides[:n]))
        except Exception as error:  # noqa: BLE001 - a rival that is missing or fails is its row
            out.append({"scenarios": name, "method": label, "failed": str(error)[:80]})
            continue
        cpu, found = found if isinstance(found, tuple) else (clock.cpu, found)
        off = float(np.max(np.abs(found[:few] - truth) / (1 + np.abs(truth))))
        row = {"scenarios": name, "method": label, "cpu": cpu / count, "count": count, "off": off}
        out.append(row)
    base = next(row["cpu"] for row in out if row["method"] == "lexiprog.sweep")
    return [row | {"ratio": row["cpu"] / base} if "cpu" in row else row for row in out]


def shown(records: list[dict[str, Any]]) -> str:
    head = ("right-hand sides", "method", "processor time each", "of the sweep's", "largest error")
    rows = [
        (r["scenarios"], r["method"], r["failed"], "", "")
        if "failed" in r
        else (
            r["scenarios"],
            r["method"],
            seconds(r["cpu"]),
            f"{r['ratio']:.2f}",
            f"{r['off']:.0e}",
        )
        for r in records
    ]
    return table(head, rows)


def flux_variability(reactions: int) -> tuple[str, Any]:
    """Least and largest flux of each reaction at the largest growth."""
    try:
        theirs = asked("fluxes", reactions=reactions)
    except RuntimeError as error:
        return f"cobra: {error}", None
    S, bounds, count = theirs["S"], theirs["bounds"], theirs["least"].size

    def ours() -> np.ndarray:
        v, way = cp.Variable(S.shape[1], bounds=list(bounds), name="v"), cp.Parameter(S.shape[1])
        levels = {"growth": cp.Maximize(theirs["growth"] @ v), "flux": cp.Minimize(way @ v)}
        units = np.eye(S.shape[1])[:count]
        found = lx.sweep(lx.preemptive(levels, [S @ v == 0]), {way: [*units, *-units]})
        return found.values["flux"]

    own, found = timed(ours)
    ends = np.concatenate([theirs["least"], -theirs["most"]])
    cobra = float(theirs["cpu"])
    data = {
        "cobra": cobra, "lexiprog.sweep": own.cpu, "programs": 2 * count,
        "apart": float(np.max(np.abs(found - ends))),
    }  # fmt: skip
    head = ("method", "processor time", "of the sweep's", "linear programs", "largest difference")
    rows = [
        ("cobra", seconds(cobra), f"{cobra / own.cpu:.2f}", 2 * count, ""),
        ("lexiprog.sweep", seconds(own.cpu), "1.00", 2 * count, f"{data['apart']:.0e}"),
    ]
    return table(head, rows), data


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__, argv)
    report = Report("sweeps", "Many scenarios of one program")
    rows, count, few = (60, 20, 5) if options.quick else (1_000, 500, 25)
    A, cost, base = covering(rows)
    records = [
        record
        for name, sides in right_hand_sides(base, count).items()
        for record in compare(name, A, cost, sides, few)
    ]
    about = f"{rows} rows, {A.shape[1]} columns, {count} scenarios ({few} of them one by one)."
    report.section("Right-hand sides", f"{about} {AIM}\n\n{shown(records)}", "covering", records)
    text, data = flux_variability(8 if options.quick else 0)
    report.section("Flux variability", text, "fluxes", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
