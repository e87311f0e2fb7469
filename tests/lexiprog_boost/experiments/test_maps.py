"""Maps show every labelled pixel where it lies, and who is right about it."""

from dataclasses import replace

import numpy as np
import pytest

from lexiprog_boost.experiments.figures import map_figure, pixel_positions, predictions
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.studies import study
from lexiprog_boost.experiments.study import load
from lexiprog_boost.experiments.writing import write_report
from tests.lexiprog_boost.experiments.made_up import fill, made_up_record

# A scene of 6 x 4 pixels in columns, two of them without a label.
LABELS = np.tile([1, 2, 3], 8)
LABELS[[5, 10]] = 0
COLUMNS, ROWS = np.divmod(np.arange(24), 6)


@pytest.fixture
def folder(tmp_path):
    X = np.random.default_rng(0).random((24, 3))
    places = np.column_stack([ROWS, COLUMNS])
    np.savez(tmp_path / "samson.npz", X=X, y=LABELS, rc=places, shape=[6, 4])
    return tmp_path


@pytest.fixture
def scenes(folder):
    return replace(study("hyperspectral", data_dir=folder), datasets=("samson",))


def test_pixels_are_put_where_the_file_says(folder):
    positions, shape = pixel_positions("samson", folder)
    assert shape == (6, 4)
    assert len(positions) == 22
    assert positions[:7].tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [0, 1], [1, 1]]


def test_test_folds_together_are_the_whole_scene(scenes, folder):
    data = load(scenes, "samson", folder)
    cells = [one for one in scenes.cells() if (one.method, one.learner) == ("AdaBoost", "kNN")]
    folds = [made_up_record(scenes, cell, folder) for cell in cells]
    guess, tested = predictions(folds, data)
    assert tested.tolist() == list(range(22))
    assert (guess == data.y).all()  # the first method's made-up guesses are right


def test_a_map_shows_the_labels_and_who_is_right_where(scenes, folder):
    records = [made_up_record(scenes, cell, folder) for cell in scenes.cells()]
    data = load(scenes, "samson", folder)
    figure = map_figure(Results(scenes, records), "samson", data, folder)
    pictures = [np.asarray(ax.images[0].get_array()) for ax in figure.axes if ax.images]
    shown = [one for one in scenes.methods if one.role in ("paper", "baseline")]
    assert len(pictures) == 1 + len(shown)
    truth = np.zeros((6, 4), dtype=int)
    truth[ROWS, COLUMNS] = LABELS
    np.testing.assert_array_equal(pictures[0], truth)
    # 1 is right and 2 is wrong; the first method's made-up guesses are right.
    np.testing.assert_array_equal(pictures[1], truth > 0)
    assert (
        figure.axes[1].get_title(loc="left") == "AdaBoost, kNN\n100.0% right, G-Mean of all 1.000"
    )
    for picture, ax in zip(pictures[2:], figure.axes[2:], strict=False):
        right = (picture == 1).sum() / 22
        assert set(np.unique(picture)) == {0, 1, 2}
        assert f"{right:.1%} right" in ax.get_title(loc="left")


def test_a_scene_with_a_cell_missing_has_no_map(scenes, folder):
    lost = next(cell for cell in scenes.cells() if cell.learner == "kNN")
    cells = [cell for cell in scenes.cells() if cell != lost]
    records = [made_up_record(scenes, cell, folder) for cell in cells]
    data = load(scenes, "samson", folder)
    assert map_figure(Results(scenes, records), "samson", data, folder) is None


def test_a_baseline_that_is_missing_is_left_out_of_the_map(scenes, folder):
    cells = [cell for cell in scenes.cells() if cell.method != "RUSBoost"]
    records = [made_up_record(scenes, cell, folder) for cell in cells]
    figure = map_figure(Results(scenes, records), "samson", load(scenes, "samson", folder), folder)
    titles = [ax.get_title(loc="left").partition("\n")[0] for ax in figure.axes if ax.images]
    # The baselines bring their own trees; the others are named with their learner.
    learners = {"paper": ", kNN", "baseline": ""}
    shown = [one for one in scenes.methods if one.role in learners and one.name != "RUSBoost"]
    assert titles[1:] == [one.name + learners[one.role] for one in shown]


def test_a_map_is_a_file_without_a_date(scenes, folder):
    fill(folder, scenes, folder)
    home = write_report(scenes, folder, data_dir=folder)
    assert (home / "map-samson.png").read_bytes().startswith(b"\x89PNG")
    assert b"Software" not in (home / "map-samson.png").read_bytes()


def test_indian_pines_from_the_package_lies_row_by_row():
    pytest.importorskip("tensorly")
    positions, shape = pixel_positions("indian_pines", None)
    data = load(study("hyperspectral"), "indian_pines", None)
    assert shape == (145, 145)
    assert len(positions) == len(data.y) == 10249
    flat = positions[:, 0] * 145 + positions[:, 1]
    assert (np.diff(flat) > 0).all()
