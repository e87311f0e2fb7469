"""The five studies: their cells, settings and data, and what a smoke run leaves out."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from lexiprog_boost.experiments.cell import Cell
from lexiprog_boost.experiments.measure import store_of
from lexiprog_boost.experiments.methods import BY_NAME, FIRST_MEMBER, TO_CHANCE
from lexiprog_boost.experiments.studies import STUDIES, study, study_of_file
from lexiprog_boost.experiments.study import load, thinning

# Sets x folds x ((methods + controls + sweeps) x learners + baselines).
CELLS = {
    "artificial": 54 * 5 * ((9 + 1 + 2) * 2 + 5),
    "keel-two-class": 15 * 5 * ((9 + 1 + 2) * 2 + 5),
    "keel-multi-class": 10 * 5 * ((6 + 2) * 2 + 4),
    "hyperspectral": 1 * 5 * ((6 + 2) * 2 + 4),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_study_has_every_cell_once(name):
    cells = list(study(name).cells())
    assert len(cells) == len({cell.key for cell in cells}) == CELLS[name]
    assert {cell.study for cell in cells} == {name}


def test_a_fold_is_whole_before_the_next_one_begins():
    folds = [cell.fold for cell in study("keel-multi-class").cells() if cell.dataset == "wine"]
    assert folds == sorted(folds)


def test_settings_are_those_of_the_learner_times_those_of_the_method():
    whole = study("keel-two-class")

    def settings(method, learner):
        return whole.settings(Cell("keel-two-class", "pima", learner, method, 0))

    assert settings("AdaBoost", "kNN") == [{"k": 3}, {"k": 5}, {"k": 10}]
    assert settings("AdaBoost", "C4.5") == [{}]
    assert settings("AdaBoost.NC", "kNN")[:2] == [{"k": 3, "penalty": 2}, {"k": 3, "penalty": 9}]
    assert len(settings("Dual-LPUBoost", "kNN")) == 3 * 2 * 3 * 3
    assert settings("RUSBoost", "own") == [{}]


def test_a_sweep_of_costs_takes_one_neighbourhood_and_chooses_nothing_inside():
    whole = study("keel-two-class")
    sweep = Cell("keel-two-class", "pima", "kNN", "LexiBoost with costs", 0)
    assert whole.settings(sweep) == [{"k": 5, "cost": 2.0**power} for power in range(-4, 7)]
    assert not whole.chooses(sweep)
    assert whole.chooses(Cell("keel-two-class", "pima", "kNN", "LexiBoost", 0))
    assert not study("artificial").chooses(next(study("artificial").cells()))


@pytest.mark.parametrize("name", CELLS)
def test_a_smoke_run_has_a_set_or_two_two_folds_few_settings_and_two_baselines(name):
    quick = study(name, quick=True)
    assert len(quick.datasets) == (2 if name in ("artificial", "keel-two-class", "images") else 1)
    assert (quick.folds, quick.quick) == (2, True)
    roles = Counter(one.role for one in quick.methods)
    whole = Counter(one.role for one in STUDIES[name].methods)
    assert (roles["baseline"], roles["paper"]) == (2, whole["paper"])
    assert (roles["control"], roles["sweep"]) == (whole["control"], whole["sweep"])
    for cell in quick.cells():
        assert len(quick.settings(cell)) == min(2, len(BY_NAME[cell.method].grid))
    assert quick.learners["kNN"] == ({"k": 10 if name == "hyperspectral" else 5},)


def test_a_smoke_run_sweeps_the_cost_that_the_others_are_held_against():
    quick = study("keel-two-class", quick=True)
    cell = next(one for one in quick.cells() if one.method == "LexiBoost with costs")
    assert [setting["cost"] for setting in quick.settings(cell)] == [1.0, 2.0]


def test_sets_that_come_with_no_package_need_a_folder(tmp_path):
    assert study("hyperspectral").datasets == ("indian_pines",)
    assert study("images").datasets == ()
    assert len(study("hyperspectral", data_dir=tmp_path).datasets) == 4
    assert study("images", data_dir=tmp_path).datasets == ("cifar8", "cifar9", "cifar10")
    with pytest.raises(ValueError, match="cifar8 comes with no package; give a data_dir"):
        load(study("images"), "cifar8", None)


def test_a_smoke_run_looks_at_some_points_and_features_of_a_large_set(tmp_path):
    X = np.arange(700 * 90, dtype=float).reshape(700, 90)
    y = np.arange(700) % 3 + 1
    np.savez(tmp_path / "samson.npz", X=X, y=y)
    whole = load(study("hyperspectral", data_dir=tmp_path), "samson", tmp_path)
    few = load(study("hyperspectral", data_dir=tmp_path, quick=True), "samson", tmp_path)
    assert whole.X.shape == (700, 90)
    np.testing.assert_array_equal(few.X, X[::3, [0, 40, 80]])
    np.testing.assert_array_equal(few.y, y[::3])
    assert few.feature_names == ("band 1", "band 41", "band 81")


def test_small_sets_are_left_whole_by_a_smoke_run():
    quick, whole = study("artificial", quick=True), study("artificial")
    name = whole.datasets[0]
    np.testing.assert_array_equal(load(quick, name, None).X, load(whole, name, None).X)


@pytest.mark.parametrize(("points", "step"), [(1, 1), (399, 1), (400, 2), (10_249, 51)])
def test_about_two_hundred_points_are_kept(points, step):
    assert thinning(points) == step


def test_a_part_has_its_own_methods_and_report_but_the_cells_of_the_whole():
    whole, part = study("keel-multi-class"), study("keel-multi-class", part="controls")
    names = [one.name for one in part.methods]
    assert names == ["Dual-LexiBoost", FIRST_MEMBER, TO_CHANCE]
    assert (part.title, whole.title) == ("keel-multi-class-controls", "keel-multi-class")
    assert store_of(Path("x"), part).path == store_of(Path("x"), whole).path
    assert {cell.key for cell in part.cells()} < {cell.key for cell in whole.cells()}


def test_sets_that_are_named_are_measured_alone_in_the_studys_order():
    some = study("keel-two-class", sets=["pima", "ecoli1", "ecoli-0_vs_1"])
    assert some.datasets == ("ecoli-0_vs_1", "pima", "ecoli1")
    assert some.title == "keel-two-class"
    assert {cell.key for cell in some.cells()} < {
        cell.key for cell in study("keel-two-class").cells()
    }
    assert study("keel-two-class", sets=["pima"], quick=True).datasets == ("pima",)
    two = ["new-thyroid2", "pima"]
    assert study("keel-two-class", sets=two, quick=True).datasets == ("new-thyroid2",)
    with pytest.raises(ValueError, match="keel-two-class has no set 'iris'; it has ecoli-0_vs_1, "):
        study("keel-two-class", sets=["pima", "iris"])


@pytest.mark.parametrize("kept", [(), ("rivals",), ("controls", "costs")])
def test_what_the_paper_does_not_have_can_be_left_out(kept):
    roles = {"rivals": "baseline", "controls": "control", "costs": "sweep"}
    left_out = [one for one in roles if one not in kept]
    some = study("keel-two-class", without=left_out)
    assert {one.role for one in some.methods} == {"paper", *(roles[one] for one in kept)}
    assert some.title == "keel-two-class"
    paper = [one.name for one in some.methods if one.role == "paper"]
    assert paper == [one.name for one in STUDIES["keel-two-class"].methods if one.role == "paper"]


def test_a_part_that_is_left_out_is_empty():
    assert study("keel-two-class", part="costs", without=["costs"]).methods == ()


def test_a_part_that_a_study_does_not_have_is_empty():
    assert study("keel-multi-class", part="costs").methods == ()


@pytest.mark.parametrize(("kinds", "many"), [(2, False), (3, True)])
def test_a_table_of_ones_own_meets_every_method_that_its_classes_allow(tmp_path, kinds, many):
    file = tmp_path / "mine.csv"
    rows = [f"{k},{k * k % 7},c{k % kinds}" for k in range(60)]
    file.write_text("\n".join(["a,b,kind", *rows]))
    own = study_of_file(file)
    assert (own.datasets, own.many_classes, own.choose) == (("mine",), many, True)
    names = {one.name for one in own.methods}
    assert FIRST_MEMBER in names
    assert ("LPUBoost" in names, TO_CHANCE in names) == (not many, many)
    assert own.few_sets
    assert load(own, "mine", None).X.shape == (60, 2)


def test_a_table_that_was_changed_is_measured_anew_and_one_that_was_moved_is_not(tmp_path):
    rows = ["a,b,kind", *(f"{k},{k * k % 7},c{k % 2}" for k in range(60))]
    file, changed = tmp_path / "mine.csv", tmp_path / "new" / "mine.csv"
    changed.parent.mkdir()
    file.write_text("\n".join(rows))
    changed.write_text("\n".join(rows))
    before, moved = (store_of(tmp_path, study_of_file(one)).path for one in (file, changed))
    assert before == moved
    changed.write_text("\n".join([*rows[:-1], "0,0,c1"]))
    assert store_of(tmp_path, study_of_file(changed)).path != before
    quick = store_of(tmp_path, study_of_file(file, quick=True)).path
    assert quick.name.startswith("own-data-mine-quick-")
    assert store_of(tmp_path, study_of_file(file, part="controls")).path == before
