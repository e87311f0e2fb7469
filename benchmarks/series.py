"""A few figures of one commit, added to ``results/series.json``; the documentation draws them.

``python benchmarks/series.py`` measures this checkout, ``python benchmarks/series.py ../other``
another one with the same workloads (cases with known answers are those of its own tests). Times
are the processor's, the least of some calls. A commit has one record for each processor: measuring
it again replaces it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from _measuring import RESULTS, machine, timed

ROOT = Path(__file__).resolve().parents[1]
SERIES = RESULTS / "series.json"
# Of the workloads of two_commits.py: small and large, from nothing and again, linear and integer.
WORKLOADS = (
    "one LP, 50 rows",
    "one LP, 50 rows, again",
    "one LP, 1000 rows",
    "covering, 200 rows, 5 levels",
    "covering, 200 rows, 5 levels, again",
    "dense, 40 rows, 10 levels",
    "leximin, 60 flows",
)
IMPORTS = "import lexiprog"
CALLS = 5
SEED = 11


def times(names: Sequence[str] = WORKLOADS) -> dict[str, float]:
    """Processor milliseconds of the import and of the workloads, in this process."""
    from two_commits import workloads  # imports lexiprog itself

    known = workloads()
    return {name: 1e3 * min(timed(known[name])[0].cpu for _ in range(CALLS)) for name in names}


def verdicts() -> dict[str, int]:
    """One case of every family with known answers: how many are right, refused, flagged, wrong."""
    from trust import OF_TERMS, OF_UNITS, WORDS

    found: Counter[str] = Counter()
    for draw in (*OF_UNITS, *OF_TERMS):
        random = Random(SEED)
        while (case := draw(random)) is None:
            pass
        found[case.verdict(last_point=True)] += 1
    return {word: found[word] for word in WORDS}


def figures(*, quick: bool) -> dict[str, Any]:
    """What is measured where PYTHONPATH leads; the import first, before anything needs it."""
    import cvxpy  # noqa: F401 - what is timed is lexiprog's own share

    took, _ = timed(lambda: __import__("lexiprog"))
    found: dict[str, Any] = {"ms": {IMPORTS: 1e3 * took.cpu}}
    found["ms"] |= times(WORKLOADS[:1] if quick else WORKLOADS)
    return found if quick else found | {"cases": verdicts()}


def measured_in(checkout: Path, *, quick: bool) -> dict[str, Any]:
    """The figures of a checkout, in a process of its own."""
    path = f"{checkout}{os.pathsep}{ROOT}"
    said = subprocess.run(
        [sys.executable, __file__, "--here", *(["--quick"] if quick else [])],
        env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip
    return dict(json.loads(said.splitlines()[-1]))


def _git(checkout: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", checkout, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def record(checkout: Path, *, quick: bool) -> dict[str, Any]:
    """What the series keeps of a commit."""
    commit, date = _git(checkout, "log", "-1", "--format=%h %cI").split()
    changed = bool(_git(checkout, "status", "--porcelain", "--", "lexiprog"))
    facts = machine()
    return {
        "commit": commit + ("+" if changed else ""),
        "committed": date,
        "measured": facts["date"],
        "processor": facts["processor"],
        "python": facts["versions"]["python"],
        **measured_in(checkout, quick=quick),
    }


def added(series: list[dict[str, Any]], new: dict[str, Any]) -> list[dict[str, Any]]:
    """The series with a record, by the dates of the commits."""

    def place(of: dict[str, Any]) -> tuple[str, str]:
        return of["commit"], of["processor"]

    kept = [old for old in series if place(old) != place(new)]
    return sorted([*kept, new], key=lambda of: (of["committed"], of["commit"]))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--out", type=Path, default=SERIES, help="the file of the series")
    parser.add_argument("--quick", action="store_true", help="one workload, no cases")
    parser.add_argument("--here", action="store_true", help="measure this process and print JSON")
    given = parser.parse_args(argv)
    if given.here:
        print(json.dumps(figures(quick=given.quick)))
        return 0
    series = json.loads(given.out.read_text()) if given.out.exists() else []
    series = added(series, record(given.checkout.resolve(), quick=given.quick))
    given.out.write_text(json.dumps(series, indent=1) + "\n")
    print(f"{given.out}: {len(series)} commits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
