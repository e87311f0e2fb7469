"""Many scenarios of one linear program, against solving one by one, and against others' loops.

Right-hand sides of a covering problem vary along a path, with a few factors, or each by itself.
highspy is the loop one writes by hand: change the limits, run again. manylp, where it is installed,
answers batches of linear programs whose bounds vary. cobra, where it is installed, brings a model
of E. coli and its own flux variability analysis: the least and the largest flux of every reaction
at the largest growth. Every optimum is compared with HiGHS from scratch.
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

import lexiprog as lx

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


def by_manylp(A: Any, cost: np.ndarray, sides: np.ndarray) -> np.ndarray:
    import manylp

    rows, columns = A.shape
    program = manylp.LexLP(
        A, -cost, np.zeros(columns), np.full(columns, np.inf), row_lb=sides[0],
        row_ub=np.full(rows, np.inf), param_rows=np.arange(rows),
    )  # fmt: skip
    solver = manylp.BatchLPSolver(n_workers=1)
    group = solver.register_group(program)
    found = solver.solve_batch(group, sides, np.full(sides.shape, np.inf))
    return -np.ravel(found.objective)


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


METHODS: dict[str, Callable[..., np.ndarray]] = {
    "lexiprog.sweep": by_sweep,
    "one by one": one_by_one,
    "highspy, warm": by_highspy,
    "manylp": by_manylp,
}


def compare(
    name: str, A: Any, cost: np.ndarray, sides: np.ndarray, few: int
) -> list[dict[str, Any]]:
    """Processor time a scenario; slow loops see the first few scenarios only."""
    truth = by_highspy(A, cost, sides[:few], warm=False)
    out: list[dict[str, Any]] = []
    for label, method in METHODS.items():
        count = few if label == "one by one" else len(sides)
        try:
            clock, found = timed(lambda m=method, n=count: m(A, cost, sides[:n]))
        except ImportError:
            continue
        except Exception as error:  # noqa: BLE001 - a rival's failure is its row
            out.append({"scenarios": name, "method": label, "failed": repr(error)[:80]})
            continue
        off = float(np.max(np.abs(found[:few] - truth) / (1 + np.abs(truth))))
        each = clock.cpu / count
        out.append({"scenarios": name, "method": label, "cpu": each, "count": count, "off": off})
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


def flux_variability(reactions: int | None) -> tuple[str, Any]:
    """Least and largest flux of each reaction at the largest growth."""
    try:
        import cobra
        from cobra.flux_analysis import flux_variability_analysis
        from cobra.util.array import create_stoichiometric_matrix
    except ImportError:
        return "cobra is not installed here.", None
    e_coli = cobra.io.load_model("textbook")
    names = [r.id for r in e_coli.reactions][:reactions]
    clock, wanted = timed(
        lambda: flux_variability_analysis(e_coli, names, fraction_of_optimum=1.0, processes=1)
    )
    S = create_stoichiometric_matrix(e_coli)
    bounds = np.array([r.bounds for r in e_coli.reactions]).T

    def ours() -> np.ndarray:
        v, way = cp.Variable(S.shape[1], bounds=list(bounds), name="v"), cp.Parameter(S.shape[1])
        growth = np.array([r.objective_coefficient for r in e_coli.reactions])
        levels = {"growth": cp.Maximize(growth @ v), "flux": cp.Minimize(way @ v)}
        units = np.eye(S.shape[1])[: len(names)]
        found = lx.sweep(lx.preemptive(levels, [S @ v == 0]), {way: [*units, *-units]})
        return found.values["flux"]

    own, found = timed(ours)
    ends = np.concatenate([wanted["minimum"], -wanted["maximum"]])
    data = {
        "cobra": clock.cpu, "lexiprog.sweep": own.cpu, "programs": 2 * len(names),
        "apart": float(np.max(np.abs(found - ends))),
    }  # fmt: skip
    head = ("method", "processor time", "linear programs", "largest difference")
    rows = [
        ("cobra", seconds(clock.cpu), data["programs"], ""),
        ("lexiprog.sweep", seconds(own.cpu), data["programs"], f"{data['apart']:.0e}"),
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
    text, data = flux_variability(8 if options.quick else None)
    report.section("Flux variability", text, "fluxes", data)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
