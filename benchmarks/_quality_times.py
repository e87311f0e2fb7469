"""The page of quality.py's fit times."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
from _measuring import machine, table
from _quality_data import groups
from _quality_methods import OURS, names_of_members
from _quality_results import Results

PACKAGES = ("scikit-learn", "imbalanced-learn")

TIMES = """\
Seconds of one `fit`, by the wall and in the processor, which leaves out waiting for a core."""


def times_page(results: Results) -> str:
    """Seconds, which differ from run to run."""
    facts = machine()
    versions = {"python": facts["versions"]["python"]} | {one: version(one) for one in PACKAGES}
    foot = (
        f"{facts['processor']}, {facts['cores']} cores, {facts['system']}; "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + ". One thread a fit; cells of other methods ran at the same time."
    )
    parts = ["# Fit times of quality.py", TIMES]
    for kind in dict.fromkeys(group.kind for group in groups()):
        names = [
            name for group in groups() if group.kind == kind
            for name in results.finished(group.names)
        ]  # fmt: skip
        if names:
            parts += [f"## {kind.capitalize()} (data sets: {len(names)})", ratios(results, names),
                      seconds_of(results, names)]  # fmt: skip
    return "\n\n".join([*parts, foot]) + "\n"


def ratios(results: Results, names: Sequence[str]) -> str:
    """LexiEnsemble's fit over that of its slowest member on the same fold."""
    members = [one for one in names_of_members() if one in results.methods(names[0])]
    rows = []
    for clock in ("wall", "cpu"):
        found = []
        for name in names:
            for fold, ours in enumerate(results.cells(name, OURS)):
                alone = [results.cells(name, one)[fold].get(clock, 0.0) for one in members]
                if clock in ours and alone and max(alone) > 0:
                    found.append((ours[clock] / max(alone), name))
        if found:
            worst, where = max(found)
            median = np.median([ratio for ratio, _ in found])
            rows.append([clock, f"{median:.1f}", f"{worst:.1f} ({where})"])
    return table([f"{OURS} over its slowest member", "median", "worst"], rows)


def seconds_of(results: Results, names: Sequence[str]) -> str:
    rows = []
    for method in results.methods(names[0]):
        cells = [one for name in names for one in results.cells(name, method) if "wall" in one]
        if cells:
            clocks = np.array([[one["wall"], one["cpu"]] for one in cells])
            figures = np.c_[np.median(clocks, axis=0), clocks.max(axis=0)].ravel()
            rows.append([method, *(f"{figure:.2f}" for figure in figures)])
    head = ["method", "median s", "slowest s", "median cpu s", "slowest cpu s"]
    return table(head, rows)
