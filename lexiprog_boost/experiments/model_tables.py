"""What the fitted votes are like, and what failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from lexiprog_boost.experiments.cell import Record
from lexiprog_boost.experiments.markdown import (
    NOTHING,
    fixed,
    markdown_page,
    markdown_table,
    setting_text,
    share,
)
from lexiprog_boost.experiments.results import Results

DUAL = "Dual-LexiBoost"
LEXICOGRAPHIC = ("LexiBoost", DUAL)
# A class that has all of a round's weight but for rounding.
ALL = 1 - 1e-9

_WEIGHTS = (
    "Every model that was fitted counts: all settings, folds and data sets. A member counts if its "
    "weight is not zero; of several optimal weights LexiBoost takes the most even ones, which may "
    "spread over more members than a vertex of the program would. The last two columns compare the "
    "vote with its heaviest member on the test points."
)
_PERFECT = (
    "A pool is perfect for a class if one of its members makes no mistake on that class's training "
    "points: the best loss of the class is then 0."
)
_DUAL = (
    "Members that Dual-LexiBoost keeps, and what the point weights of its second round are like: "
    "on one class means that all weight lies on a single class."
)


def models_page(results: Results, classes: Mapping[str, int]) -> str:
    """Sparse weights, perfect pools and the dual's rounds, as measured."""
    parts = []
    for learner in results.study.learners:
        parts.append(f"## {learner}: members with a weight\n\n{_WEIGHTS}")
        header = [
            "", "models", "trained", "one", "two", "three or more", "more than classes",
            "like the heaviest", "models entirely like it",
        ]  # fmt: skip
        parts.append(markdown_table(header, _weights(results, learner, classes)))
        parts.append(f"## {learner}: perfect pools\n\n{_PERFECT}")
        header = ["", "models", "perfect for some class", "no regret at all", "mean worst regret"]
        parts.append(markdown_table(header, _perfect(results, learner)))
        parts.append(f"## {learner}: the rounds of {DUAL}\n\n{_DUAL}")
        header = ["data set", "classes", "models", "mean members", "one member",
                  "second round on one class"]  # fmt: skip
        parts.append(markdown_table(header, _rounds(results, learner, classes)))
        stops = _stops(results, learner)
        parts.append(markdown_table(["why its second loop ended", "models", "share"], stops))
    return markdown_page(f"{results.study.name}: facts about the fitted models", *parts)


def facts_in(results: Results, learner: str, method: str) -> Iterator[tuple[str, Record]]:
    """The facts of every model of a method, each with its data set."""
    for record in results.records:
        if record["learner"] == learner and record["contender"] == method:
            for run in record["runs"]:
                if run.get("facts"):
                    yield record["dataset"], run["facts"]


def _weights(results: Results, learner: str, classes: Mapping[str, int]) -> Iterator[list[str]]:
    for method in results.methods("paper"):
        per_cell = list(facts_in(results, learner, method))
        if not per_cell:
            continue
        counts = [facts["weighted"] for _, facts in per_cell]
        alike = np.array([facts["like_heaviest"] for _, facts in per_cell])
        sizes = [(facts["weighted"], classes[name]) for name, facts in per_cell if name in classes]
        n = len(per_cell)
        yield [
            method,
            str(n),
            fixed(float(np.mean([facts["members"] for _, facts in per_cell]))),
            share(counts.count(1), n),
            share(counts.count(2), n),
            share(sum(count > 2 for count in counts), n),
            share(sum(count > most for count, most in sizes), len(sizes)),
            share(float(alike.sum()), n),
            share(int((alike == 1).sum()), n),
        ]


def _perfect(results: Results, learner: str) -> Iterator[list[str]]:
    for method in LEXICOGRAPHIC:
        per_cell = [facts for _, facts in facts_in(results, learner, method)]
        if per_cell:
            regrets = np.array([facts["deviation"] for facts in per_cell])
            yield [
                method,
                str(len(per_cell)),
                share(sum(facts["perfect"] for facts in per_cell), len(per_cell)),
                share(int((regrets < 1e-9).sum()), len(per_cell)),
                fixed(float(regrets.mean()), 3),
            ]


def _rounds(results: Results, learner: str, classes: Mapping[str, int]) -> Iterator[list[str]]:
    by_set: dict[str, list[Record]] = {name: [] for name in results.study.datasets}
    for name, facts in facts_in(results, learner, DUAL):
        by_set[name].append(facts)
    measured = {name: per_cell for name, per_cell in by_set.items() if per_cell}
    for name, per_cell in measured.items():
        yield _round_row(name, str(classes.get(name, NOTHING)), per_cell)
    if measured:
        yield _round_row("all", "", [facts for per_cell in measured.values() for facts in per_cell])


def _round_row(name: str, classes: str, per_cell: list[Record]) -> list[str]:
    members = [facts["members"] for facts in per_cell]
    second = [facts["one_class"] for facts in per_cell if facts["one_class"] is not None]
    return [
        name,
        classes,
        str(len(per_cell)),
        fixed(float(np.mean(members))),
        share(members.count(1), len(per_cell)),
        share(sum(weight > ALL for weight in second), len(second)),
    ]


def _stops(results: Results, learner: str) -> list[list[str]]:
    """Why loop 2 ended; the numbers of rounds and members in the sentence don't tell causes."""
    causes = Counter(
        re.sub(r"\d+(\.\d+)?", "n", str(facts["stopped"]))
        for _, facts in facts_in(results, learner, DUAL)
    )
    total = sum(causes.values())
    ordered = sorted(causes.items(), key=lambda item: (-item[1], item[0]))
    return [[cause, str(count), share(count, total)] for cause, count in ordered]


# What failed, and why.


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
        [method, learner, setting, f"{len(folds)} of {tried[method, learner, setting]}",
         ", ".join(list(folds)[:3]) + (", ..." if len(folds) > 3 else ""),
         next(iter(folds.values()))]
        for (method, learner, setting, _), folds in sorted(where.items())
    ]  # fmt: skip
    header = ["method", "learner", "setting", "folds", "where", "cause (of the first)"]
    parts.append(markdown_table(header, rows, left=6) if rows else "No setting failed.")
    parts.append("## Cells that failed as a whole")
    cells = [[key, cause] for key, cause in sorted(failures.items())]
    parts.append(markdown_table(["cell", "cause"], cells, left=2) if cells else "None.")
    return markdown_page(f"{results.study.name}: failures", *parts)
