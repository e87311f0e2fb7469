"""The page of quality.py's scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from _measuring import table
from _quality_data import Group, groups, new_to_us
from _quality_losses import losses
from _quality_methods import OURS
from _quality_results import METRICS, Results

from lexiprog_boost.experiments.rank_tables import comma_separated
from lexiprog_boost.experiments.statistics import average_ranks, friedman, signed_rank

RANKED = ("g_mean", "balanced_accuracy", "auc")


def scores_page(results: Results) -> str:
    """Everything but times: the same bytes from the same cells."""
    parts = ["# LexiEnsembleClassifier's default and what a practitioner would take instead", INTRO]
    if results.measured_again:
        parts.append(
            f"Measured for this page: {results.measured_again}. What else is compared did not "
            "change; its means are those of the page before, to six digits (failed folds: "
            "benchmarks/README.md)."
        )
    if results.unfinished:
        parts.append(f"**Not finished, hence left out:** {', '.join(results.unfinished)}.")
    for group in groups():
        names = results.finished(group.names)
        if not names:
            continue
        parts += [f"## {group.title} (data sets: {len(names)})", *comparison(results, names)]
        new = [name for name in names if new_to_us(name)]
        if group.role == "confirmation" and 1 < len(new) < len(names):
            heading = f"### Only the {len(new)} sets whose base data development never saw"
            parts += [heading, averages(results, new)]
    unseen = [name for group in groups() if group.role == "confirmation" for name in group.names]
    # First one that all methods take that any does: those for two classes only stay out.
    together = sorted(results.finished(unseen), key=lambda name: len(results.methods(name)))
    if len(together) > 1:
        heading = f"## Confirmation, both together (data sets: {len(together)})"
        parts += [heading, against(results, together)]
    parts += ["## Where it loses", LOSSES]
    for group in groups():
        names = results.finished(group.names)
        if names:
            parts += [f"### {group.title}", losses(results, names)]
    parts.append("## G-Mean on each data set")
    parts += [each(results, group) for group in groups() if results.finished(group.names)]
    if results.failures:
        lines = [
            f"- {one['method']} on {one['dataset']}, fold {one['fold']}: {one['failure']}"
            for one in results.failures
        ]
        parts += ["## Methods that failed on a fold", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


INTRO = """\
Means over data sets of means over five folds (KEEL's own where the data folder has them, else
stratified ones). Nothing is tuned. Brier is the sum over classes, 0 to 2, smaller is better.
Average ranks: 1 is best, equals share. A fold on which a method fails counts as the worst score
there is, and is listed at the end. Wilcoxon's signed rank test is two-sided, over data sets; "Holm"
is its G-Mean p-value corrected for the number of methods. "Confirmation" sets were not used to
choose anything, "developed on" sets were."""

LOSSES = """\
The five sets on which the best other method is furthest ahead in G-Mean, with the class that
explains most of it: the one whose recall differs most (mean over the folds that have it). The best
of many methods, chosen afterwards on each set, is a hard opponent."""


def comparison(results: Results, names: Sequence[str]) -> list[str]:
    """Averages, Friedman's test, and LexiEnsemble against each other method."""
    said = []
    for metric in RANKED:
        statistic, verdict = friedman(results.means(names, metric))
        said.append(f"{METRICS[metric]} {statistic:.1f} (p = {verdict.p:.1e})")
    return [averages(results, names), f"Friedman's chi-square: {', '.join(said)}.",
            against(results, names)]  # fmt: skip


def averages(results: Results, names: Sequence[str]) -> str:
    contenders = results.methods(names[0])
    means = {metric: results.means(names, metric).mean(axis=0) for metric in METRICS}
    ranks = {metric: average_ranks(results.means(names, metric)) for metric in RANKED}
    order = sorted(range(len(contenders)), key=lambda k: (ranks["g_mean"][k], contenders[k]))
    head = ["method", *METRICS.values(), *(f"rank, {METRICS[metric]}" for metric in RANKED)]
    rows = [
        [contenders[k], *(f"{means[metric][k]:.4f}" for metric in METRICS),
         *(f"{ranks[metric][k]:.2f}" for metric in RANKED)]
        for k in order
    ]  # fmt: skip
    return table(head, rows)


def against(results: Results, names: Sequence[str]) -> str:
    contenders = results.methods(names[0])
    others = [k for k, name in enumerate(contenders) if name != OURS]
    values = {metric: results.means(names, metric) for metric in RANKED}
    ours = contenders.index(OURS)
    p = {
        metric: {k: signed_rank(found[:, ours], found[:, k]).p for k in others}
        for metric, found in values.items()
    }
    corrected = holm(p["g_mean"])
    rows = []
    for k in others:
        gain = np.round(values["g_mean"][:, ours] - values["g_mean"][:, k], 10)
        counts = "/".join(str(int(count.sum())) for count in (gain > 0, gain == 0, gain < 0))
        rows.append([
            contenders[k], counts, f"{gain.mean():+.4f}", f"{np.median(gain):+.4f}",
            shown(p["g_mean"][k]), shown(corrected[k]), shown(p["balanced_accuracy"][k]),
            shown(p["auc"][k]),
        ])  # fmt: skip
    head = [f"{OURS} against", "wins/ties/losses", "mean gain", "median gain", "p, G-Mean", "Holm",
            "p, balanced accuracy", "p, AUC"]  # fmt: skip
    return table(head, rows)


def holm(p: dict[int, float]) -> dict[int, float]:
    """Holm's step-down correction: the k-th smallest of m counts m - k + 1 times."""
    corrected, largest = {}, 0.0
    for done, (k, value) in enumerate(sorted(p.items(), key=lambda pair: pair[1])):
        largest = max(largest, min(1.0, (len(p) - done) * value))
        corrected[k] = largest
    return corrected


def shown(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def each(results: Results, group: Group) -> str:
    names = results.finished(group.names)
    contenders = results.methods(names[0])
    rows = []
    for name in names:
        values = [round(results.mean(name, one, "g_mean"), 10) for one in contenders]
        best = max(values)
        cells = [f"**{one:.3f}**" if one == best else f"{one:.3f}" for one in values]
        rows.append([name, sizes(results, name), *cells])
    return f"{group.title}:\n\n" + table([group.kind, "class sizes", *contenders], rows)


def sizes(results: Results, name: str) -> str:
    return " ".join(map(str, sorted(results.load(name).counts.values())))


def scores_table(results: Results) -> str:
    """Comma-separated values for those who compute further."""
    rows = []
    for group in groups():
        for name in results.finished(group.names):
            for method in results.methods(name):
                values = [repr(float(results.mean(name, method, metric))) for metric in METRICS]
                rows.append([group.role, group.kind, name, method, *values])
    return comma_separated(["role", "kind", "dataset", "method", *METRICS], rows)
