"""Beyond one machine: what a solve elsewhere costs, and how weights by blocks grow with the points.

Four pieces, each in a process of its own, so that its memory can be told: `tasks` (bytes and
seconds of a solve that is sent to Dask's workers, and 64 scenarios on one and two of them), `means`
(class means of votes), `passes` (a hinge program with class offsets) and `growth`. Blocks are made
in memory as they are read, so that no disk is measured.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _families import transport
from _measuring import RESULTS, Report, seconds, table

AIMS = {
    "means": "Aim: 1e8 x 10 votes within 30 s and 500 MiB.",
    "passes": "Aim: 1e7 x 10 margins, at most 100 passes to a gap of 1e-6, within 1 GiB.",
}
MEMBERS, CLASSES = 10, 3
ROWS = 2**18
Block = tuple[np.ndarray, np.ndarray, None]


def votes(points: int) -> Iterator[Block]:
    """Votes as bytes; every block is another one."""
    rng = np.random.default_rng(0)
    y = rng.choice(CLASSES, ROWS, p=[0.9, 0.08, 0.02]).astype(np.int8)
    skill = rng.uniform(0.5, 0.9, (CLASSES, MEMBERS))
    base = np.where(rng.random((ROWS, MEMBERS)) < skill[y], 1, -1).astype(np.int8)
    for number, start in enumerate(range(0, points, ROWS)):
        rows = min(ROWS, points - start)
        block = base[:rows].copy()
        block[:, number % MEMBERS] *= -1
        yield block, y[:rows], None


def probabilities(points: int) -> Iterator[Block]:
    """Margins of probabilities, moved a little from block to block, and the class offsets."""
    rng = np.random.default_rng(1)
    y = rng.choice(CLASSES, ROWS, p=[0.9, 0.08, 0.02])
    skill = rng.uniform(0.0, 0.6, (CLASSES, MEMBERS))
    noise = 0.3 * rng.normal(size=(ROWS, 1)) + 0.5 * rng.normal(size=(ROWS, MEMBERS))
    base = np.tanh(skill[y] + noise)
    offsets = np.where(np.arange(CLASSES) == y[:, None], 1.0, -1.0)
    for number, start in enumerate(range(0, points, ROWS)):
        rows = min(ROWS, points - start)
        shift = np.random.default_rng([2, number]).normal(0, 0.05, MEMBERS)
        spread = np.random.default_rng([3, number]).uniform(0.8, 1.0, MEMBERS)
        yield np.hstack([base[:rows] * spread + 0.2 * shift, offsets[:rows]]), y[:rows], None


def identity(value: Any) -> Any:
    return value


def scenario_seconds(program: Any, lists: Any, **where: Any) -> tuple[float, float, Any]:
    import lexiprog as lx

    wall, cpu = time.perf_counter(), time.process_time()
    found = lx.sweep(program, lists, **where)
    return time.perf_counter() - wall, time.process_time() - cpu, found


def tasks(*, quick: bool, points: int | None = None) -> dict[str, Any]:
    """Bytes and seconds of solves that are sent to Dask's workers; as many scenarios as points."""
    import cvxpy as cp
    from distributed import Client, LocalCluster

    import lexiprog as lx

    rows, count, trips = (300, 6, 20) if quick else (10_000, points or 64, 200)
    roads = transport(rows, 1)
    x = cp.Variable(roads.A.shape[1], bounds=[0, 10], name="x")
    price = cp.Parameter(x.size, name="price")
    program = lx.preemptive({"cost": cp.Minimize(price @ x)}, [roads.A @ x >= roads.demand])
    prices = np.random.default_rng(0).uniform(1, 2, (count, x.size))
    out: dict[str, Any] = {"rows": rows, "count": count, "runs": []}
    wall, cpu, here = scenario_seconds(program, {price: prices})
    out["runs"].append({"where": "here, one thread", "wall": wall, "client": cpu})
    for workers in (1,) if quick else (1, 2):
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster) as client,
        ):
            there = lx.Elsewhere(client.get_executor())
            client.wait_for_workers(workers)
            for _ in range(2 * workers):
                there.call(identity, 0)  # the workers import what they need
            if workers == 1:
                took = []
                for _ in range(trips):
                    start = time.perf_counter()
                    there.call(identity, 0)
                    took.append(time.perf_counter() - start)
                out["overhead"] = statistics.median(took)
            there = lx.Elsewhere(client.get_executor())
            wall, cpu, found = scenario_seconds(program, {price: prices}, executor=there)
            off = np.abs(found.values["cost"] - here.values["cost"]).max()
            out["runs"].append(
                {
                    "where": f"Dask, {workers} worker{'s' * (workers > 1)}", "wall": wall,
                    "client": cpu, "tasks": there.tasks, "sent": there.sent / there.tasks,
                    "received": there.received / there.tasks, "off": float(off),
                }
            )  # fmt: skip
    return out


def means(*, quick: bool, points: int | None = None) -> dict[str, Any]:
    """Weights from class means, one pass."""
    from lexiprog_boost import lexicographic_weights

    points = points or (10**6 if quick else 10**8)
    wall, cpu = time.perf_counter(), time.process_time()
    found = lexicographic_weights(lambda: votes(points))
    return {
        "points": points, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu,
        "passes": found.passes, "gap": found.gap, "reduction": found.reduction, "MiB": peak(),
    }  # fmt: skip


def passes(*, quick: bool, points: int | None = None) -> dict[str, Any]:
    """Weights of a hinge program with class offsets, by passes."""
    from lexiprog_boost import lexicographic_weights

    points = points or (70_000 if quick else 10**7)
    wall, cpu = time.perf_counter(), time.process_time()
    found = lexicographic_weights(lambda: probabilities(points), margin_target=0.3)
    return {
        "points": points, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu,
        "passes": found.passes, "gap": found.gap, "reduction": found.reduction, "MiB": peak(),
    }  # fmt: skip


def peak() -> float:
    """The most memory that this process ever had, in MiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


INNER = {"tasks": tasks, "means": means, "passes": passes}


def alone(piece: str, *, quick: bool, points: int | None = None) -> dict[str, Any]:
    """One piece in a process of its own; a quick one, whose memory says nothing, in this."""
    if quick:
        return INNER[piece](quick=True, points=points)
    command = [sys.executable, __file__, "--inner", piece]
    command += [] if points is None else ["--points", str(points)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | threads
    )
    return json.loads(done.stdout.splitlines()[-1])


def shown_tasks(data: dict[str, Any]) -> str:
    head = ("where", "by the wall", "client's processor", "tasks", "bytes there", "bytes back")
    rows = [
        (
            run["where"], seconds(run["wall"]), seconds(run["client"]), run.get("tasks", ""),
            f"{run['sent']:,.0f}" if "sent" in run else "",
            f"{run['received']:,.0f}" if "sent" in run else "",
        )
        for run in data["runs"]
    ]  # fmt: skip
    client = data["runs"][-1]["client"] / data["count"]
    alone_ = data["runs"][0]["wall"] / data["count"]
    return (
        f"{data['count']} scenarios of {data['rows']} rows, each with costs of its own; bytes are "
        f"those of a task.\n\n{table(head, rows)}\n\nAn empty task takes "
        f"{seconds(data['overhead'])} there and back. A scenario takes the client "
        f"{seconds(client)} of its processor, and {seconds(alone_)} in all where it is solved here."
    )


def shown_points(records: Sequence[dict[str, Any]]) -> str:
    head = ("points", "reduction", "passes", "gap", "by the wall", "processor", "peak memory")
    rows = [
        (
            f"{r['points']:.0e}", r["reduction"], r["passes"], f"{r['gap']:.0e}",
            seconds(r["wall"]), seconds(r["cpu"]), f"{r['MiB']:.0f} MiB",
        )
        for r in records
    ]  # fmt: skip
    return table(head, rows)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, some seconds")
    parser.add_argument("--out", type=Path, help="folder for the results")
    parser.add_argument("--piece", choices=[*INNER, "growth"], help="this one only")
    parser.add_argument("--inner", choices=INNER, help=argparse.SUPPRESS)
    parser.add_argument("--points", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.inner:
        print(json.dumps(INNER[options.inner](quick=options.quick, points=options.points)))
        return 0
    if options.out is None and not options.quick and options.piece is None:
        options.out = RESULTS
    wanted = [options.piece] if options.piece else [*INNER, "growth"]
    report = Report("scale", "Beyond one machine")
    if "tasks" in wanted:
        data = alone("tasks", quick=options.quick)
        report.section("Solves elsewhere", shown_tasks(data), "tasks", data)
    for piece in ("means", "passes"):
        if piece in wanted:
            data = alone(piece, quick=options.quick)
            text = f"{AIMS[piece]}\n\n{shown_points([data])}"
            report.section(f"{INNER[piece].__doc__}", text, piece, data)
    if "growth" in wanted:
        sizes = [10**4] if options.quick else [10**5, 10**6, 10**7, 10**8]
        records = [
            alone(piece, quick=options.quick, points=size)
            for piece in ("means", "passes")
            for size in sizes
        ]
        report.section("How it grows", shown_points(records), "growth", records)
    report.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
