"""Write all tables and figures of a study from its finished cells, and one page for all studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.markdown import fixed, markdown_page, markdown_table
from lexiprog_boost.experiments.measure import runs_of, store_of
from lexiprog_boost.experiments.model_tables import failures_page, models_page
from lexiprog_boost.experiments.rank_tables import ranks_page, scores_file, tests_file, times_file
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.score_tables import (
    controls_page,
    costs_page,
    datasets_page,
    scores_page,
    times_page,
    views_page,
    work_page,
)
from lexiprog_boost.experiments.studies import STUDIES
from lexiprog_boost.experiments.study import Study, load

# Everything else is the same from the same cells, byte for byte.
DIFFER_BETWEEN_RUNS = ("times.csv", "times.md", "times.png")


def write_report(study: Study, folder: Path, *, data_dir: Path | None = None) -> Path:
    """Write the tables and figures of a study, of the data sets whose cells are all there.

    Parameters
    ----------
    study : Study
        What was measured, in whole or in part.
    folder : path
        Holds the store; the report goes into a folder below it with the study's name.
    data_dir : path, optional
        Folder of the data files, for what tables say about the data, and for maps.

    Returns
    -------
    path
        The report's folder; its README.md lists the files.
    """
    store = store_of(folder, study)
    wanted = [cell.key for cell in study.cells()]
    present = store.finished()
    wanted_keys = set(wanted)
    records = [record for record in store.records() if _key(record) in wanted_keys]
    results = Results(study, records)
    data = _data_of(study, data_dir)
    home = folder / study.title
    home.mkdir(parents=True, exist_ok=True)

    files = _texts(results, data, store.failures())
    for name, (_, text) in files.items():
        (home / name).write_text(text, encoding="utf-8", newline="\n")
    about = {name: sentence for name, (sentence, _) in files.items()}
    about |= _write_figures(results, data, data_dir, home)
    missing = sum(key not in present for key in wanted)
    text = _index(study, about, len(wanted), missing, about_data(study, data_dir))
    (home / "README.md").write_text(text, encoding="utf-8", newline="\n")
    return home


def _texts(
    results: Results, data: Mapping[str, Dataset], failures: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Every text file: what it is, and what is in it."""
    classes = {name: len(dataset.counts) for name, dataset in data.items()}
    files: dict[str, tuple[str, str]] = {}
    if not results.study.part:
        files = {
            "ranks.md": ("average ranks and tests as in the paper, its figures beside ours",
                         ranks_page(results)),
            "tests.csv": ("every average rank and p-value", tests_file(results)),
            "scores.md": ("mean scores a data set", scores_page(results)),
            "scores.csv": ("every fold's score and its setting", scores_file(results)),
            "models.md": ("sparse weights, perfect pools, the dual's rounds: facts about models",
                          models_page(results, classes)),
            "times.md": ("training times (they differ from run to run)", times_page(results)),
            "times.csv": ("training times a data set", times_file(results)),
        }  # fmt: skip
        if results.methods("baseline"):
            files["rivals.md"] = (
                "the same with what a user would take instead of boosting",
                ranks_page(results, baselines=True),
            )
        if results.study.name == "artificial":
            files["views.md"] = ("average G-Mean by what was varied", views_page(results))
    else:
        files["times.md"] = ("what the cells took", work_page(results))
    files["datasets.md"] = ("sizes, classes and imbalance", datasets_page(results, data))
    files["failures.md"] = (
        "settings and cells that failed, with causes", failures_page(results, failures)
    )  # fmt: skip
    if results.methods("control"):
        files["controls.md"] = (
            "Dual-LexiBoost and its first member alone: the game and the balanced learner",
            controls_page(results),
        )
    if results.methods("sweep"):
        files["costs.md"] = ("G-Mean against class costs", costs_page(results))
    return files


def _write_figures(
    results: Results, data: Mapping[str, Dataset], data_dir: Path | None, home: Path
) -> dict[str, str]:
    if find_spec("matplotlib") is None:
        return {}
    from lexiprog_boost.experiments.figures import figures_of, save

    written = {}
    for name, (sentence, draw) in figures_of(results, data, data_dir).items():
        figure = draw()
        if figure is not None:
            save(figure, home / name)
            written[name] = sentence
    return written


def _data_of(study: Study, data_dir: Path | None) -> dict[str, Dataset]:
    """The data sets at hand: a report from stored cells must not fail for want of them."""
    found = {}
    for name in study.datasets:
        try:
            found[name] = load(study, name, data_dir)
        except (ImportError, FileNotFoundError, ValueError):
            continue
    return found


def about_data(study: Study, data_dir: Path | None) -> str:
    """Say where the test folds come from, and which rows of a table were left out.

    Scores on other folds than the published ones differ, by more than methods often do.
    """
    data = _data_of(study, data_dir)
    fixed = sum(dataset.folds is not None for dataset in data.values())
    owner = "the file's" if study.file is not None else "the publisher's"
    if fixed == len(data):
        said = f"Test folds: {owner} own."
    else:
        dealt = len(data) - fixed
        said = (
            f"Test folds: stratified, shuffled with seed 0, for {dealt} data set{'s' * (dealt > 1)}"
        )
        said += f", {owner} own for {fixed}." if fixed else "."
        if study.name.startswith("keel") and data_dir is None:
            said += (
                " The published tables are of KEEL's own folds, which come with files: give "
                "--data-dir to compare with them."
            )
    for name, dataset in data.items() if study.file is not None else ():
        rows = f"{len(dataset.y)} rows are used"
        said += f" {name}: {rows}, {dataset.left_out} with missing values are left out."
    return said


def _index(study: Study, about: Mapping[str, str], cells: int, missing: int, data: str) -> str:
    state = (
        f"All {cells} cells are there."
        if not missing
        else f"{missing} of {cells} cells are missing: tables hold the data sets that are complete."
    )
    kind = "smoke run" if study.quick else "run"
    facts = (
        f"A {kind} of {_sets(study)}, {study.folds} folds, "
        f"{len(study.methods)} methods, base learners {' and '.join(study.learners)}. {state} "
        f"{data}"
    )
    rows = [[f"[{name}]({name})", sentence] for name, sentence in sorted(about.items())]
    return markdown_page(
        study.title, facts, markdown_table(["file", "what it holds"], rows, left=2)
    )


def _sets(study: Study) -> str:
    """How many data sets there are, of how many if the paper's study has more."""
    count, whole = len(study.datasets), STUDIES.get(study.name)
    total = count if whole is None or study.quick else len(whole.datasets)
    return (
        f"{count} data set{'s' * (count > 1)}"
        if count == total
        else f"{count} of {total} data sets"
    )


def _key(record: Mapping[str, object]) -> str:
    parts = (record[name] for name in ("study", "dataset", "learner", "contender", "fold"))
    return "/".join(map(str, parts))


# One page for all studies of a run: where each report is, and what its cells took.

_HEADER = ["study", "data sets", "cells", "processor seconds", "elapsed seconds", "processes",
           "runs"]  # fmt: skip


def processor_time(study: Study, folder: Path) -> tuple[float, int]:
    """What the study's finished cells took, and of how many it is known."""
    wanted = {cell.key for cell in study.cells()}
    times = [
        record["processor"]
        for key, record in store_of(folder, study).items()
        if key in wanted and "processor" in record
    ]
    return sum(times), len(times)


def write_overview(studies: Sequence[Study], folder: Path) -> Path:
    """Write the page into the folder of all reports.

    Parameters
    ----------
    studies : sequence of Study
        Those whose cells may be there; one without any has no row.
    folder : path
        Holds their stores and reports.

    Returns
    -------
    path
        The page.
    """
    rows, spent, elapsed = [], 0.0, 0.0
    for current in studies:
        runs = runs_of(folder, current)
        processor, cells = processor_time(current, folder)
        if not cells:
            continue
        clock = sum(run["seconds"] for run in runs)
        processes = sorted({run["processes"] for run in runs})
        rows.append(
            [f"[{current.title}]({current.title}/README.md)", str(len(current.datasets)),
             str(cells), fixed(processor, 0), fixed(clock, 0),
             ", ".join(map(str, processes)), str(len(runs))]
        )  # fmt: skip
        spent, elapsed = spent + processor, elapsed + clock
    cells = sum(int(row[2]) for row in rows)
    rows.append(["all", "", str(cells), fixed(spent, 0), fixed(elapsed, 0), "", ""])
    page = folder / "README.md"
    page.write_text(
        markdown_page(
            "All studies",
            "What the cells of every study took. The processor's seconds are those of each method "
            "by itself: a tree that several fits grow alike is grown once, and counts for each. "
            "Elapsed seconds are of all runs that measured some of the cells, reports apart.",
            markdown_table(_HEADER, rows),
        ),
        encoding="utf-8", newline="\n",
    )  # fmt: skip
    return page
