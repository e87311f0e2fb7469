"""A user's own csv file: what is read, and a sentence for what can't be."""

import gzip

import numpy as np
import pytest

from lexiprog_boost.datasets.table_files import load_table, table_name


def write(folder, header, rows, name="mine.csv"):
    file = folder / name
    file.write_text("\n".join([header, *rows]) + "\n")
    return file


def rows_of(kinds, n=20):
    return [f"{k},{'red' if k % 3 else 'blue'},{kinds[k % len(kinds)]}" for k in range(n)]


def test_words_become_indicators_and_the_rarer_class_is_one(tmp_path):
    data = load_table(write(tmp_path, "size,colour,kind", rows_of(["a", "a", "b"])))
    assert data.name == "mine"
    assert data.feature_names == ("size", "colour=blue", "colour=red")
    assert data.counts == {0: 14, 1: 6}
    np.testing.assert_array_equal(data.X[:3], [[0, 1, 0], [1, 0, 1], [2, 0, 1]])


def test_rows_with_missing_values_are_left_out(tmp_path):
    rows = [*rows_of(["a", "b"]), "?,red,a", "1,,b"]
    assert len(load_table(write(tmp_path, "size,colour,kind", rows)).y) == 20


def test_no_number_among_numbers_is_missing_and_among_words_a_word(tmp_path):
    rows = [*rows_of(["a", "b"]), "NA,red,a", "n/a,blue,b", "7,NA,a"]
    data = load_table(write(tmp_path, "size,colour,kind", rows))
    assert len(data.y) == 21
    assert data.feature_names == ("size", "colour=NA", "colour=blue", "colour=red")
    assert data.X[-1].tolist() == [7, 1, 0, 0]


def test_blanks_empty_lines_and_a_mark_of_the_encoding_are_no_part_of_the_table(tmp_path):
    plain, untidy = tmp_path / "plain.csv", tmp_path / "untidy.csv"
    rows = rows_of(["a", "b"])
    plain.write_text("\n".join(["size,colour,kind", *rows]))
    spaced = [row.replace(",", " , ") for row in rows]
    untidy.write_bytes("\r\n".join(["\ufeffsize, colour,kind", *spaced, "", ""]).encode())
    first, second = load_table(plain), load_table(untidy)
    assert first.feature_names == second.feature_names
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)


def test_a_compressed_file_and_its_folds_are_read(tmp_path):
    file = tmp_path / "mine.csv.gz"
    rows = [f"{k},{k % 2},{k % 5 + 1}" for k in range(20)]
    file.write_bytes(gzip.compress("\n".join(["size,Class,fold", *rows]).encode()))
    data = load_table(file)
    assert table_name(file) == data.name == "mine"
    np.testing.assert_array_equal(data.folds, np.arange(20) % 5 + 1)


@pytest.mark.parametrize(
    ("header", "rows", "says"),
    [
        ("size,kind", [], "has no rows for 2 columns"),
        ("kind", ["a", "b"], "has one column only"),
        ("size,kind", ["1,a", "2,b,c"], "3 cells in row 2 for 2 columns"),
        ("size,kind", ["?,a", ",b"], "every row of .* has a missing value"),
        ("size,kind", ["nan,a", *rows_of(["b"])[:0], "1,a", "2,b", "3,b"], "'size' .* holds nan"),
        ("size,kind", [f"{k},a" for k in range(9)], "the class, has one value only"),
        ("kind,size", [f"a,{k}.5" for k in range(9)], "is it a measurement"),
        ("size,kind", [f"{k},{'ab'[k > 17]}" for k in range(20)], "class 1 .* has 2 points"),
        ("size,kind,fold", [f"{k},{k % 2},{k % 3 + 1}" for k in range(20)], "names 3 folds"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_why(tmp_path, header, rows, says):
    with pytest.raises(ValueError, match=says):
        load_table(write(tmp_path, header, rows))


def test_a_file_that_is_not_text_or_not_there_is_told_so(tmp_path):
    (tmp_path / "sheet.csv").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(ValueError, match="Save the table as csv in UTF-8"):
        load_table(tmp_path / "sheet.csv")
    with pytest.raises(FileNotFoundError, match="give the path of a csv file"):
        load_table(tmp_path)
    (tmp_path / "empty.csv").touch()
    with pytest.raises(ValueError, match="is empty"):
        load_table(tmp_path / "empty.csv")
