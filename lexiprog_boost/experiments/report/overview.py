"""One page for all studies of a run: where each report is, and what its cells took."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lexiprog_boost.experiments.measure import runs_of, store_of
from lexiprog_boost.experiments.report.markdown import fixed, markdown_page, markdown_table
from lexiprog_boost.experiments.study import Study

_HEADER = ["study", "data sets", "cells", "processor seconds", "seconds on the clock", "processes",
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
    for one in studies:
        runs = runs_of(folder, one)
        processor, cells = processor_time(one, folder)
        if not cells:
            continue
        clock = sum(run["seconds"] for run in runs)
        processes = sorted({run["processes"] for run in runs})
        rows.append(
            [f"[{one.title}]({one.title}/README.md)", str(len(one.datasets)), str(cells),
             fixed(processor, 0), fixed(clock, 0), ", ".join(map(str, processes)), str(len(runs))]
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
            "Those on the clock are of all runs that measured some of the cells, reports apart.",
            markdown_table(_HEADER, rows),
        ),
        encoding="utf-8", newline="\n",
    )  # fmt: skip
    return page
