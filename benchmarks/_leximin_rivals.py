"""Others who look for fair shares, each in a process of its own.

They need Gurobi or other versions of CVXPY than this library: LEXIPROG_RIVALS names the Python
that has them, by default the one that runs the benchmark.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from _filling import flows
from _measuring import Clock, timed
from _panels import SEATS, Missing, fixture, read


def ask(name: str, *arguments: str) -> tuple[Clock, Any]:
    """What a rival answers, and what it took, imports left out."""
    python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
    here = {"LEXIPROG_PANELS": str(fixture())} if name == "sortition" else {}
    done = subprocess.run(
        [python, str(Path(__file__).resolve()), name, *arguments],
        capture_output=True, text=True, check=False, env=os.environ | here,
    )  # fmt: skip
    if done.returncode:
        raise Missing(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    record = json.loads(done.stdout.splitlines()[-1])
    return Clock(record["wall"], record["cpu"]), record["answer"]


def cvxpy_leximin(count: str) -> Any:
    import cvxpy as cp
    from cvxpy_leximin import Leximin, Problem

    uses, capacities = flows(int(count))
    rate = cp.Variable(uses.shape[1], nonneg=True)
    utilities = [rate[k] for k in range(uses.shape[1])]

    def solve() -> list[float]:
        Problem(Leximin(utilities), [uses @ rate <= capacities]).solve()
        return np.asarray(rate.value).tolist()

    return solve


def sortition() -> Any:
    """The package's own leximin, on Gurobi; Gurobi and CVXPY are imported before the clock."""
    import gurobipy  # noqa: F401 - the package looks for it
    from sortition_algorithms.committee_generation.leximin import find_distribution_leximin
    from sortition_algorithms.features import read_in_features
    from sortition_algorithms.people import read_in_people
    from sortition_algorithms.settings import Settings

    people, quotas = read()
    settings = Settings(id_column="nationbuilder_id", columns_to_keep=[])
    features, *_ = read_in_features(list(quotas[0]), quotas)
    pool, *_ = read_in_people(list(people[0]), people, features, settings)

    def solve() -> dict[str, float]:
        committees, weights, _ = find_distribution_leximin(features, pool, SEATS, [])
        chances = dict.fromkeys((person["nationbuilder_id"] for person in people), 0.0)
        for committee, weight in zip(committees, weights, strict=True):
            for member in committee:
                chances[member] += weight
        return chances

    return solve


if __name__ == "__main__":
    rival = {"cvxpy_leximin": cvxpy_leximin, "sortition": sortition}[sys.argv[1]]
    clock, answer = timed(rival(*sys.argv[2:]))
    print(json.dumps({"wall": clock.wall, "cpu": clock.cpu, "answer": answer}))
