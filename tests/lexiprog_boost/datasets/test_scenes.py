"""Hyperspectral scenes and image features from files, and Indian Pines from its package."""

from importlib.util import find_spec

import numpy as np
import pytest

from lexiprog_boost.datasets import SCENES, images, load_cifar_features, load_scene


def test_unlabelled_pixels_are_left_out(tmp_path):
    bands = np.arange(8, dtype=np.uint16).reshape(4, 2)
    np.savez(tmp_path / "samson.npz", X=bands, y=np.array([0, 3, 1, 0], dtype=np.uint8))
    scene = load_scene("samson", data_dir=tmp_path)
    assert scene.X.tolist() == [[2, 3], [4, 5]]
    assert scene.X.dtype == np.float64
    assert scene.y.tolist() == [3, 1]
    assert scene.feature_names == ("band 1", "band 2")


@pytest.mark.skipif(find_spec("tensorly") is None, reason="needs the extra: lexiprog[data]")
def test_indian_pines_has_its_published_size():
    scene = load_scene("indian_pines")
    assert scene.X.shape == (10249, 200)
    assert len(scene.counts) == 16
    assert (scene.counts[9], scene.counts[11]) == (20, 2455)


def test_a_missing_package_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setattr(images, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"tensorly.*lexiprog\[data\].*data_dir"):
        load_scene("indian_pines")


@pytest.mark.parametrize("name", SCENES[1:])
def test_scenes_without_a_package_ask_for_a_folder(name):
    with pytest.raises(ValueError, match=f"give a data_dir that holds {name}.npz"):
        load_scene(name)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no samson\.npz in"):
        load_scene("samson", data_dir=tmp_path)


def test_image_features_merge_or_drop_the_last_classes(tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    features = np.arange(20, dtype=np.float16).reshape(10, 2)
    np.savez(folder / "cifar10imb_effnetlite0.npz", X=features, y=np.arange(10, dtype=np.uint8))
    eight, nine, ten = (load_cifar_features(k, data_dir=tmp_path) for k in (8, 9, 10))
    assert eight.y.tolist() == list(range(8))
    np.testing.assert_array_equal(eight.X, features[:8])
    assert nine.counts == {**dict.fromkeys(range(8), 1), 8: 2}
    assert ten.y.tolist() == list(range(10))
    assert eight.name == "cifar8"
