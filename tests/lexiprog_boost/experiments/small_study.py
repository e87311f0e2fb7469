"""A study of two data sets, two folds and one learner, with whatever its runs are told to hold."""

from dataclasses import replace

from lexiprog_boost.experiments.methods import BY_NAME
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.studies import STUDIES

DATASETS = ("first", "second")


def small_study(*names, grid=None):
    """A study of these methods; `grid` replaces the settings of all of them."""
    methods = tuple(BY_NAME[name] for name in names)
    if grid is not None:
        methods = tuple(replace(one, grid=grid) for one in methods)
    return replace(
        STUDIES["keel-two-class"], name="small", datasets=DATASETS, learners={"kNN": ({},)},
        methods=methods, folds=2, choose=False,
    )  # fmt: skip


def results(study, run_of, seconds=1.0):
    """Results in which the run of every cell and setting is what `run_of(cell, setting)` says."""
    records = [
        {"study": cell.study, "dataset": cell.dataset, "learner": cell.learner,
         "contender": cell.method, "fold": cell.fold, "seconds": seconds,
         "runs": [{"setting": dict(setting), **run_of(cell, setting)}
                  for setting in study.settings(cell)]}
        for cell in study.cells()
    ]  # fmt: skip
    return Results(study, records)


def rows_under(page, heading):
    """The rows of the tables after a heading, as lists of texts, heads and rules left out."""
    lines = page.split(heading)[1].split("\n## ")[0].splitlines()
    table = [line for line in lines if line.startswith("|")]
    rules = [k for k, line in enumerate(table) if line.startswith("|---")]
    body = [line for k, line in enumerate(table) if k not in rules and k + 1 not in rules]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]
