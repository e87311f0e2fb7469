"""Where LexiEnsemble is furthest behind, and in which class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from _measuring import table
from _quality_methods import OURS
from _quality_results import Results

MOST = 5


def losses(results: Results, names: Sequence[str]) -> str:
    """The data sets on which the best other method's G-Mean is furthest ahead."""
    found = []
    for name in names:
        others = [one for one in results.methods(name) if one != OURS]
        best = max(others, key=lambda one: results.mean(name, one, "g_mean"))
        gap = results.mean(name, best, "g_mean") - results.mean(name, OURS, "g_mean")
        if round(gap, 10) > 0:
            found.append((-gap, name, best))
    rows = []
    for _, name, best in sorted(found)[:MOST]:
        counts = {str(label): count for label, count in results.load(name).counts.items()}
        mine, theirs = recalls(results, name, OURS), recalls(results, name, best)
        shown = f"{results.mean(name, best, 'g_mean'):.3f} ({best})"
        sizes = " ".join(map(str, sorted(counts.values())))
        if not theirs:  # taken from a table, which has none
            own = f"{results.mean(name, OURS, 'g_mean'):.3f}"
            rows.append([name, sizes, own, shown, "", ""])
            continue
        label = max(mine, key=lambda one: abs(theirs.get(one, 0.0) - mine[one]), default="")
        rows.append([
            name, sizes, f"{results.mean(name, OURS, 'g_mean'):.3f}", shown,
            f"{label}: {counts.get(label, 0)} points",
            f"{mine.get(label, 0.0):.3f} / {theirs.get(label, 0.0):.3f}",
        ])  # fmt: skip
    if not rows:
        return "No other method is ahead on any set."
    head = ["data set", "class sizes", OURS, "best other", "class", "its recall, ours / theirs"]
    return table(head, rows)


def recalls(results: Results, name: str, method: str) -> dict[str, float]:
    """Mean recall of each class over the folds that have it."""
    values: dict[str, list[float]] = {}
    for cell in results.cells(name, method):
        for label, recall in cell.get("recalls", {}).items():
            values.setdefault(label, []).append(recall)
    return {label: float(np.mean(found)) for label, found in values.items()}
