"""What the fitted votes are like: how many members count, and why Dual-LexiBoost stops."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from lexiprog_boost.experiments.cells.cell import Record
from lexiprog_boost.experiments.report.markdown import (
    NOTHING,
    fixed,
    markdown_page,
    markdown_table,
    share,
)
from lexiprog_boost.experiments.report.results import Results

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


def facts_in(results: Results, learner: str, contender: str) -> Iterator[tuple[str, Record]]:
    """The facts of every model of a contender, each with its data set."""
    for record in results.records:
        if record["learner"] == learner and record["contender"] == contender:
            for run in record["runs"]:
                if run.get("facts"):
                    yield record["dataset"], run["facts"]


def _weights(results: Results, learner: str, classes: Mapping[str, int]) -> Iterator[list[str]]:
    for contender in results.contenders("paper"):
        found = list(facts_in(results, learner, contender))
        if not found:
            continue
        counts = [facts["weighted"] for _, facts in found]
        alike = np.array([facts["like_heaviest"] for _, facts in found])
        known = [(facts["weighted"], classes[name]) for name, facts in found if name in classes]
        n = len(found)
        yield [
            contender,
            str(n),
            fixed(float(np.mean([facts["members"] for _, facts in found]))),
            share(counts.count(1), n),
            share(counts.count(2), n),
            share(sum(count > 2 for count in counts), n),
            share(sum(count > most for count, most in known), len(known)),
            share(float(alike.sum()), n),
            share(int((alike == 1).sum()), n),
        ]


def _perfect(results: Results, learner: str) -> Iterator[list[str]]:
    for contender in LEXICOGRAPHIC:
        found = [facts for _, facts in facts_in(results, learner, contender)]
        if found:
            regrets = np.array([facts["deviation"] for facts in found])
            yield [
                contender,
                str(len(found)),
                share(sum(facts["perfect"] for facts in found), len(found)),
                share(int((regrets < 1e-9).sum()), len(found)),
                fixed(float(regrets.mean()), 3),
            ]


def _rounds(results: Results, learner: str, classes: Mapping[str, int]) -> Iterator[list[str]]:
    by_set: dict[str, list[Record]] = {name: [] for name in results.study.datasets}
    for name, facts in facts_in(results, learner, DUAL):
        by_set[name].append(facts)
    measured = {name: found for name, found in by_set.items() if found}
    for name, found in measured.items():
        yield _round_row(name, str(classes.get(name, NOTHING)), found)
    if measured:
        yield _round_row("all", "", [facts for found in measured.values() for facts in found])


def _round_row(name: str, classes: str, found: list[Record]) -> list[str]:
    members = [facts["members"] for facts in found]
    second = [facts["one_class"] for facts in found if facts["one_class"] is not None]
    return [
        name,
        classes,
        str(len(found)),
        fixed(float(np.mean(members))),
        share(members.count(1), len(found)),
        share(sum(one > ALL for one in second), len(second)),
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
