"""What a newcomer is told of folds and rows, and where the reports of two tables go."""

import gzip
from dataclasses import replace

from lexiprog_boost.experiments.studies import study, study_of_file
from lexiprog_boost.experiments.writing import about_data


def table(path, *, folds=False):
    rows = ["a,b,kind" + ",fold" * folds]
    rows += [f"{k},{k * k % 7},c{k % 2}" + f",{k % 5 + 1}" * folds for k in range(60)]
    rows[3] = rows[3].replace(f"{2},", "?,", 1)
    path.write_text("\n".join(rows))
    return path


def test_the_source_of_folds_is_told(tmp_path):
    packaged = replace(study("keel-two-class"), datasets=("new-thyroid1",))
    said = about_data(packaged, None)
    assert "stratified, shuffled with seed 0, for 1 data set" in said
    assert "give --data-dir" in said
    rows = ["a,Class,fold", *(f"{k},{'p' if k % 3 else 'n'},{k % 5 + 1}" for k in range(30))]
    with gzip.open(tmp_path / "new-thyroid1.csv.gz", "wt") as file:
        file.write("\n".join(rows))
    assert about_data(packaged, tmp_path) == "Test folds: the publisher's own."


def test_rows_that_are_left_out_are_counted(tmp_path):
    own = study_of_file(table(tmp_path / "mine.csv"))
    assert "mine: 59 rows are used, 1 with missing values are left out." in about_data(own, None)
    folded = study_of_file(table(tmp_path / "folded.csv", folds=True))
    assert "the file's own." in about_data(folded, None)


def test_reports_of_several_tables_are_kept_apart_and_include_our_ensemble(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    files = [tmp_path / name for name in ("one.csv", "other.csv", "elsewhere/one.csv")]
    one, other, namesake = (study_of_file(table(file)) for file in files)
    assert one.title.startswith("own-data-one-")
    assert other.title.startswith("own-data-other-")
    assert namesake.title.startswith("own-data-one-")
    assert namesake.title != one.title
    assert study_of_file(files[0]).title == one.title
    assert "LexiEnsemble" in [method.name for method in one.methods]
    assert "LexiEnsemble" not in [method.name for method in study("keel-two-class").methods]
