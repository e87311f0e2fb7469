"""How LexiBoost's programs grow with the number of points: as printed, and reduced.

The paper counts variables and coefficients and concludes O(n^5). Here processor time is measured
from 1e2 to 1e6 points, and the exponent between neighbouring sizes is given.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from _measuring import Report, arguments, seconds, table, timed
from lexiboost import margins, same

from lexiprog_boost import lexiboost_program, lexicographic_weights

MEMBERS = 10
# A form that took longer than this is not given the next size.
PATIENCE = 10.0
FORMS: dict[str, tuple[str, Callable[[Any, Any], float]]] = {
    "class means (theta = 1)": ("votes", lambda M, y: lexicographic_weights(M, y).chi),
    "merged rows (theta = 1/2)": (
        "votes", lambda M, y: lexicographic_weights(M, y, margin_target=0.5).chi
    ),
    "points in doubt (theta = 1/2)": (
        "values", lambda M, y: lexicographic_weights(M, y, margin_target=0.5).chi
    ),
    "as printed, CLARABEL": (
        "votes", lambda M, y: lexiboost_program(M, y).solve("CLARABEL").final.value
    ),
}  # fmt: skip


def counts(n: int, members: int, classes: int = 3) -> tuple[int, int]:
    """Variables and coefficients of the paper's Q, by its own formulas."""
    return n + members + 1, (classes + 2 * n + members + 2) * (n + members + 2) + members


def measure(sizes: Sequence[int]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    slow: set[str] = set()
    for n in sizes:
        values: dict[str, float] = {}
        for form, (kind, solve) in FORMS.items():
            if form in slow:
                continue
            M, y = margins(n, MEMBERS, kind)
            clock, values[form] = timed(lambda M=M, y=y, solve=solve: solve(M, y))
            records.append({"n": n, "form": form, "clock": clock})
            print(f"{n:.0e} {form}: {seconds(clock.cpu)}", flush=True)
            if clock.cpu > PATIENCE:
                slow.add(form)
        printed = [value for form, value in values.items() if form.startswith("as printed")]
        for value in printed:
            same(value, values["class means (theta = 1)"])
    return records


def report_table(records: list[dict[str, Any]], sizes: Sequence[int]) -> str:
    rows: list[list[str]] = []
    for n in sizes:
        variables, coefficients = counts(n, MEMBERS)
        rows.append([f"{n:.0e}", f"{variables:.2g}", f"{coefficients:.2g}"])
    for form in FORMS:
        took = {r["n"]: r["clock"].cpu for r in records if r["form"] == form}
        for row, n in zip(rows, sizes, strict=True):
            row.append(seconds(took[n]) if n in took else "-")
    exponents = ["exponent, last two", "1", "2"]
    for form in FORMS:
        took = sorted((r["n"], r["clock"].cpu) for r in records if r["form"] == form)
        if len(took) < 2:
            exponents.append("-")
            continue
        (n, before), (m, after) = took[-2:]
        exponents.append(f"{np.log(after / before) / np.log(m / n):.2f}")
    return table(["points", "variables of Q", "coefficients", *FORMS], [*rows, exponents])


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(__doc__ or "", argv)
    warnings.simplefilter("ignore")
    sizes = (100, 1_000) if options.quick else (100, 1_000, 10_000, 100_000, 1_000_000)
    report = Report("growth", "How LexiBoost's programs grow")
    for form, (kind, solve) in FORMS.items():  # first imports are nobody's solve
        if not form.startswith("as printed"):
            solve(*margins(60, 3, kind))
    records = measure(sizes)
    note = (
        f"Processor time of both stages, {MEMBERS} members, three classes; variables and "
        f"coefficients by the paper's formulas. A form that took more than {PATIENCE:.0f} s is not "
        "given the next size. The forms with theta = 1 have the same optimum, which is checked."
    )
    text = f"{report_table(records, sizes)}\n\n{note}"
    report.section("Processor time against the number of points", text, "growth", records)
    report.write(options.out)


if __name__ == "__main__":
    main()
