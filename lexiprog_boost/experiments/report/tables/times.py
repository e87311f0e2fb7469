"""Training times: they differ from run to run, so they have files of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiprog_boost.experiments.report.markdown import NOTHING, fixed, markdown_page, markdown_table
from lexiprog_boost.experiments.report.results import Results


def fit_seconds(results: Results, dataset: str, learner: str, contender: str) -> list[list[float]]:
    """Seconds of every fit, a list of settings a fold; nothing while folds are missing."""
    cells, clock = results.cells(dataset, learner, contender) or [], results.clock
    return [[run[clock] for run in cell["runs"] if clock in run] for cell in cells]


def times_page(results: Results) -> str:
    """Mean seconds of one fit, and of all settings that a method has to be tried with."""
    told_by = {
        "processor": "Processor time, which other work on the machine hardly changes.",
        "seconds": "Measured while all cores worked.",
    }
    parts = [
        "Seconds of training on one fold, mean over data sets and folds: of one setting, and of "
        f"the whole grid of settings, which is what tuning costs. {told_by[results.clock]} "
        "A tree that several fits grow alike is grown once, and its time counts for each."
    ]
    for learner in results.study.learners:
        rows = list(_rows(results, learner))
        parts.append(f"## {learner}")
        header = ["", "data sets", "settings", "one fit", "the whole grid", "grid against AdaBoost"]
        parts.append(markdown_table(header, rows))
    parts += work_parts(results)
    return markdown_page(f"{results.study.name}: training times", *parts)


def work_page(results: Results) -> str:
    """What the cells of a part took."""
    return markdown_page(f"{results.study.title}: processor time", *work_parts(results))


def work_parts(results: Results) -> Iterator[str]:
    """Processor time of all cells that kept theirs, a contender and learner a row."""
    yield "## Processor time of all cells"
    yield (
        "Seconds of all folds and settings, inner folds included, with everything around the fits: "
        "work, not waiting for a core."
    )
    spent: dict[tuple[str, str], list[float]] = {}
    for record in results.records:
        where = record["contender"], record["learner"]
        spent.setdefault(where, [])
        if "processor" in record:
            spent[where].append(record["processor"])
    order = [one.name for one in results.study.contenders]
    rows = [
        [*where, str(len(values)), fixed(sum(values), 1)]
        for where, values in sorted(spent.items(), key=lambda one: order.index(one[0][0]))
        if values
    ]
    every = [one for values in spent.values() for one in values]
    if not every:
        yield "No cell has kept its own."
        return
    rows.append(["all", "", f"{len(every)} of {len(results.records)}", fixed(sum(every), 1)])
    yield markdown_table(["contender", "learner", "cells", "processor seconds"], rows, left=2)


def _rows(results: Results, learner: str) -> Iterator[list[str]]:
    # Without rivals yet the paper's contenders are still compared with each other.
    sets = results.complete(learner, "paper", "rival") or results.complete(learner, "paper")
    whole: dict[str, float] = {}
    for contender in results.contenders("paper", "rival"):
        fits = [fold for name in sets for fold in fit_seconds(results, name, learner, contender)]
        if not any(fits):
            yield [contender, str(len(sets)), *[NOTHING] * 4]
            continue
        one = float(np.mean([seconds for fold in fits for seconds in fold]))
        whole[contender] = float(np.mean([sum(fold) for fold in fits]))
        ratio = whole[contender] / whole["AdaBoost"] if "AdaBoost" in whole else None
        settings = max(len(fold) for fold in fits)
        yield [contender, str(len(sets)), str(settings), fixed(one, 3),
               fixed(whole[contender], 3), fixed(ratio, 1)]  # fmt: skip
