"""The page of all studies: what was measured, in how many runs, and what it took."""

from dataclasses import replace

import pytest

from lexiprog_boost.experiments.measure import measure_study, runs_of, store_of
from lexiprog_boost.experiments.writing import processor_time, write_overview
from tests.lexiprog_boost.experiments.small_study import rows_under, small_study

STUDY = small_study("AdaBoost", "LexiBoost")
CELLS = [cell.key for cell in STUDY.cells()]


def stored(cell, study, data_dir):
    return {"processor": 2.5, "fold": cell.fold}


def run(study, folder, measure=stored):
    return measure_study(study, folder, n_jobs=1, progress=False, measure=measure)


def row(folder, *studies):
    return rows_under(write_overview(studies, folder).read_text(), "# All studies")


def test_a_run_is_kept_with_its_cells_and_its_time(tmp_path):
    run(STUDY, tmp_path)
    (kept,) = runs_of(tmp_path, STUDY)
    assert (kept["cells"], kept["processes"]) == (len(CELLS), 1)
    assert kept["seconds"] > 0
    assert processor_time(STUDY, tmp_path) == (2.5 * len(CELLS), len(CELLS))


def test_a_run_that_measures_nothing_is_none(tmp_path):
    run(STUDY, tmp_path)
    run(STUDY, tmp_path)
    assert len(runs_of(tmp_path, STUDY)) == 1


def test_a_run_that_was_interrupted_counts_for_what_it_measured(tmp_path):
    def interrupted(cell, study, data_dir):
        if cell.key != CELLS[0]:
            raise KeyboardInterrupt
        return stored(cell, study, data_dir)

    with pytest.raises(KeyboardInterrupt):
        run(STUDY, tmp_path, interrupted)
    assert [one["cells"] for one in runs_of(tmp_path, STUDY)] == [1]


def test_the_page_adds_runs_and_cells_up(tmp_path):
    other = replace(STUDY, name="other")
    half = replace(STUDY, datasets=STUDY.datasets[:1])
    for study in (half, STUDY, other):
        run(study, tmp_path)
    small, second, total = row(tmp_path, STUDY, other)
    assert small[:4] == ["[small](small/README.md)", "2", "8", "20"]
    assert small[5:] == ["1", "2"]
    assert second[6] == "1"
    assert total[:4] == ["all", "", "16", "40"]


def test_a_study_without_cells_has_no_row(tmp_path):
    run(STUDY, tmp_path)
    unmeasured = replace(STUDY, name="other")
    assert len(row(tmp_path, STUDY, unmeasured)) == 2
    assert store_of(tmp_path, unmeasured).records() == []
