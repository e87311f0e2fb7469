"""What failed, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lexiprog_boost.experiments.report.markdown import markdown_page, markdown_table, setting_text
from lexiprog_boost.experiments.report.results import Results


def failures_page(results: Results, failures: Mapping[str, str]) -> str:
    """Settings that could not be fitted, and cells that could not be measured at all.

    Parameters
    ----------
    results : Results
        Whose runs may hold an "error".
    failures : mapping of key -> cause
        Cells that failed as a whole; the next run tries them again.
    """
    # Causes that differ in their numbers alone are one cause; its first words are shown.
    where: dict[tuple[str, str, str, str], dict[str, str]] = {}
    tried: dict[tuple[str, str, str], int] = {}
    for record in results.records:
        for run in record["runs"]:
            who = record["contender"], record["learner"], setting_text(run["setting"])
            tried[who] = tried.get(who, 0) + 1
            if "error" in run:
                fold = f"{record['dataset']} (fold {record['fold'] + 1})"
                cause = re.sub(r"\d+(\.\d+)?", "n", run["error"])
                where.setdefault((*who, cause), {})[fold] = run["error"]
    parts = ["A setting that fails scores 0 in that fold, so no protocol prefers it."]
    rows = [
        [contender, learner, setting, f"{len(folds)} of {tried[contender, learner, setting]}",
         ", ".join(list(folds)[:3]) + (", ..." if len(folds) > 3 else ""),
         next(iter(folds.values()))]
        for (contender, learner, setting, _), folds in sorted(where.items())
    ]  # fmt: skip
    header = ["contender", "learner", "setting", "folds", "where", "cause (of the first)"]
    parts.append(markdown_table(header, rows, left=6) if rows else "No setting failed.")
    parts.append("## Cells that failed as a whole")
    cells = [[key, cause] for key, cause in sorted(failures.items())]
    parts.append(markdown_table(["cell", "cause"], cells, left=2) if cells else "None.")
    return markdown_page(f"{results.study.name}: failures", *parts)
