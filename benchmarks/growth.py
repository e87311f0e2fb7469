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
from lexiprog_boost.pools.point_weights import balance_point_weights, class_point_weights
from lexiprog_boost.programs import check_inputs

MEMBERS = 10
# What is solved, with which margins, and what it is compared by.
Form = tuple[str, Callable[[Any, Any], Any]]
PRINTED = "as printed"
FORMS: dict[str, Form] = {
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


def class_weights(M: Any, y: Any, *, reduce: bool) -> Any:
    """Point weights of loop 1: P'_j of every class, and of its optima the smallest."""
    return class_point_weights(check_inputs(M, y), form="paper", reduce=reduce).distribution


def balance_weights(M: Any, y: Any, *, reduce: bool) -> Any:
    """Point weights of loop 2: Q', and of its optima the smallest."""
    optima = np.array([1 - M[y == label].mean(axis=0).max() for label in np.unique(y)])
    inputs = check_inputs(M, y)
    return balance_point_weights(inputs, optima, form="paper", reduce=reduce).distribution


DUALS: dict[str, Form] = {
    "all P'_j, merged rows": ("votes", lambda M, y: class_weights(M, y, reduce=True)),
    "all P'_j, as printed": ("votes", lambda M, y: class_weights(M, y, reduce=False)),
    "Q' in C variables": ("votes", lambda M, y: balance_weights(M, y, reduce=True)),
    "Q', as printed": ("votes", lambda M, y: balance_weights(M, y, reduce=False)),
}
# Forms with the same answer: the first is what the second is checked by.
PAIRS = (
    ("class means (theta = 1)", "as printed, CLARABEL"),
    ("all P'_j, merged rows", "all P'_j, as printed"),
    ("Q' in C variables", "Q', as printed"),
)


def counts(n: int, members: int, classes: int = 3) -> tuple[int, int]:
    """Variables and coefficients of the paper's Q, by its own formulas."""
    return n + members + 1, (classes + 2 * n + members + 2) * (n + members + 2) + members


def agree(one: Any, other: Any) -> None:
    """Optima agree to 1e-6; point weights, which have five digits, to 1e-4 of a point's share."""
    if np.ndim(one) == 0:
        same(one, other)
    elif abs(one - other).max() * len(one) > 1e-4:
        raise SystemExit("the point weights differ: the times compare different answers.")


def measure(forms: dict[str, Form], sizes: Sequence[int], patience: float) -> list[dict[str, Any]]:
    """Solve every form at every size; one that took longer than the patience gets no next size."""
    records: list[dict[str, Any]] = []
    slow: set[str] = set()
    for form, (kind, solve) in forms.items():  # first imports are nobody's solve
        if PRINTED not in form:
            solve(*margins(60, 3, kind))
    for n in sizes:
        values: dict[str, Any] = {}
        for form, (kind, solve) in forms.items():
            if form in slow:
                continue
            M, y = margins(n, MEMBERS, kind)
            clock, values[form] = timed(lambda M=M, y=y, solve=solve: solve(M, y))
            records.append({"n": n, "form": form, "clock": clock})
            print(f"{n:.0e} {form}: {seconds(clock.cpu)}", flush=True)
            if clock.cpu > patience:
                slow.add(form)
        for reduced, printed in PAIRS:
            if printed in values:
                agree(values[reduced], values[printed])
    return records


def report_table(
    forms: dict[str, Form], records: list[dict[str, Any]], sizes: Sequence[int]
) -> str:
    """A size a row, and the exponent between the last two that a form was given."""
    rows: list[list[str]] = []
    for n in sizes:
        variables, coefficients = counts(n, MEMBERS)
        sizes_of_q = [f"{variables:.2g}", f"{coefficients:.2g}"] if forms is FORMS else []
        rows.append([f"{n:.0e}", *sizes_of_q])
    for form in forms:
        took = {r["n"]: r["clock"].cpu for r in records if r["form"] == form}
        for row, n in zip(rows, sizes, strict=True):
            row.append(seconds(took[n]) if n in took else "-")
    exponents = ["exponent, last two", *(["1", "2"] if forms is FORMS else [])]
    for form in forms:
        took = sorted((r["n"], r["clock"].cpu) for r in records if r["form"] == form)
        if len(took) < 2:
            exponents.append("-")
            continue
        (n, before), (m, after) = took[-2:]
        exponents.append(f"{np.log(after / before) / np.log(m / n):.2f}")
    counted = ["variables of Q", "coefficients"] if forms is FORMS else []
    return table(["points", *counted, *forms], [*rows, exponents])


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(__doc__ or "", argv)
    warnings.simplefilter("ignore")
    sizes = (100, 1_000) if options.quick else (100, 1_000, 10_000, 100_000, 1_000_000)
    report = Report("growth", "How LexiBoost's programs grow")
    sections = (
        ("Processor time against the number of points", "growth", FORMS, 30.0,
         "Both stages; variables and coefficients of Q by the paper's formulas."),
        # Q' as printed is not solved in ten minutes at 1e5 points.
        ("The same for the point weights of a round of Dual-LexiBoost", "duals", DUALS, 5.0,
         "Each program and the choice of its smallest optimum."),
    )  # fmt: skip
    for title, name, forms, patience, what in sections:
        records = measure(forms, sizes, patience)
        note = (
            f"{what} Processor time, {MEMBERS} members, three classes. A form that took more than "
            f"{patience:.0f} s is not given the next size. Reduced forms have the answer of those "
            "as printed, which is checked."
        )
        text = f"{report_table(forms, records, sizes)}\n\n{note}"
        report.section(title, text, name, records)
    report.write(options.out)


if __name__ == "__main__":
    main()
