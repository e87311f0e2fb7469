"""Seconds of fits and of whole grids, worked by hand."""

import csv

from lexiprog_boost.experiments.rank_tables import times_file
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.score_tables import times_page
from tests.lexiprog_boost.experiments.small_study import results, rows_under, small_study

SECONDS = {"AdaBoost": 1.0, "LexiBoost": 3.0, "RUSBoost": 0.5}


def found(failing=""):
    def run(cell, setting):
        if cell.method == failing:
            return {"error": "ValueError: no"}
        return {"seconds": SECONDS[cell.method] * (1 + setting["k"]) + cell.fold}

    study = small_study("AdaBoost", "LexiBoost", "RUSBoost", grid=({"k": 0}, {"k": 1}))
    return results(study, run, seconds=8.0)


def test_one_fit_and_the_whole_grid_are_means_over_sets_and_folds():
    # AdaBoost: fits of 1, 2 in the first fold and of 2, 3 in the second.
    assert rows_under(times_page(found()), "## kNN") == [
        ["AdaBoost", "2", "2", "2.000", "4.000", "1.0"],
        ["LexiBoost", "2", "2", "5.000", "10.000", "2.5"],
        ["RUSBoost", "2", "2", "1.250", "2.500", "0.6"],
    ]


def test_the_processors_time_is_told_where_every_fit_has_kept_it():
    whole = found()
    assert "Measured while all cores worked." in times_page(whole)
    for record in whole.records:
        record["processor"] = 1.0
        for run in record["runs"]:
            run["processor"] = run["seconds"] / 4
    told = times_page(Results(whole.study, whole.records))
    assert "Processor time, which other work on the machine hardly changes." in told
    assert rows_under(told, "## kNN")[0] == ["AdaBoost", "2", "2", "0.500", "1.000", "1.0"]
    rows = list(csv.DictReader(times_file(Results(whole.study, whole.records)).splitlines()))
    assert (rows[0]["seconds a fit"], rows[0]["seconds in all"]) == ("0.500000", "2.000")
    del whole.records[-1]["runs"][0]["processor"]
    mixed = times_page(Results(whole.study, whole.records))
    assert rows_under(mixed, "## kNN")[0] == ["AdaBoost", "2", "2", "2.000", "4.000", "1.0"]


def test_baselines_that_are_missing_hide_nobody_else():
    whole = found()
    some = [one for one in whole.records if one["contender"] != "RUSBoost"]
    rows = rows_under(times_page(Results(whole.study, some)), "## kNN")
    assert [row[-1] for row in rows] == ["1.0", "2.5", "–"]


def test_processor_time_is_summed_over_the_cells_that_kept_it():
    whole = found()
    for record in whole.records:
        if record["contender"] != "RUSBoost":
            record["processor"] = 0.5 + record["fold"]  # two sets: 2 (0.5 + 1.5) a method
    rows = rows_under(times_page(whole), "## Processor time of all cells")
    assert rows == [
        ["AdaBoost", "kNN", "4", "4.0"],
        ["LexiBoost", "kNN", "4", "4.0"],
        ["all", "", "8 of 12", "8.0"],
    ]
    assert "No cell has kept its own." in times_page(found())


def test_a_method_that_always_failed_has_no_time_and_no_line_in_the_file():
    page = times_page(found(failing="LexiBoost"))
    assert rows_under(page, "## kNN")[1] == ["LexiBoost", "2", "–", "–", "–", "–"]
    rows = list(csv.DictReader(times_file(found(failing="LexiBoost")).splitlines()))
    assert [row["contender"] for row in rows] == ["AdaBoost", "RUSBoost"] * 2


def test_the_file_has_a_line_a_set_and_method_with_what_its_cells_took_in_all():
    first = next(csv.DictReader(times_file(found()).splitlines()))
    assert first == {
        "data set": "first", "learner": "kNN", "contender": "AdaBoost", "fits": "4",
        "seconds a fit": "2.000000", "seconds in all": "16.000",
    }  # fmt: skip
