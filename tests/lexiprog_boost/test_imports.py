"""Public names are imported when they are first used, and are there from the start."""

import subprocess
import sys

import pytest

import lexiprog_boost


def loaded_after(code):
    """The modules that a fresh interpreter has after some code."""
    script = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.split()


def test_importing_the_package_loads_none_of_its_parts():
    loaded = loaded_after("import lexiprog_boost")
    assert [name for name in loaded if name.startswith("lexiprog")] == ["lexiprog_boost"]
    assert "sklearn" not in loaded


def test_estimators_load_neither_plots_nor_data_nor_dask():
    loaded = loaded_after("from lexiprog_boost import LexiBoostClassifier, LexiEnsembleClassifier")
    heavy = ["lexiprog_boost.plots", "lexiprog_boost.datasets", "lexiprog_boost.one_class"]
    assert set(loaded) & {*heavy, "lexiprog_boost.experiments", "dask", "matplotlib"} == set()


def test_every_public_name_is_listed_and_can_be_had():
    assert set(lexiprog_boost.__all__) <= set(dir(lexiprog_boost))
    for name in lexiprog_boost.__all__:
        assert getattr(lexiprog_boost, name).__name__.endswith(name)


def test_an_unknown_name_is_named():
    with pytest.raises(AttributeError, match="no attribute 'LexiBoost'"):
        lexiprog_boost.LexiBoost  # noqa: B018
