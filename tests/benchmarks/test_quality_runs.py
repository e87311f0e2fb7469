"""quality.py runs end to end, resumes without measuring, and writes the same bytes again."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PAGES = ("quality.md", "quality.csv", "quality_times.md", "quality.png")


def run(folder):
    command = [sys.executable, str(BENCHMARKS / "quality.py"), "--quick", "--jobs", "1"]
    return subprocess.run(
        [*command, "--out", str(folder)], capture_output=True, text=True, timeout=600,
        check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quality")
    done = run(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_method_is_scored_on_both_sets(finished):
    rows = list(csv.DictReader((finished / "quality.csv").read_text().splitlines()))
    found = {name: [row["method"] for row in rows if row["dataset"] == name]
             for name in ("new-thyroid1", "wine")}  # fmt: skip
    assert set(found["new-thyroid1"]) - set(found["wine"]) == {"HistGB tuned threshold"}
    assert {"LexiEnsemble", "BalancedRandomForest", "EasyEnsemble", "RUSBoost", "HistGB balanced",
            "Stacking", "Voting"} < set(found["wine"])  # fmt: skip
    assert any(name.startswith("alone: ") for name in found["wine"])
    for row in rows:
        assert 0.5 < float(row["g_mean"]) <= float(row["balanced_accuracy"]) + 1e-9
        assert 0.5 < float(row["auc"]) <= 1
        assert 0 <= float(row["brier"]) < 1
    assert "failed" not in (finished / "quality.md").read_text().split("##", 1)[1]


@pytest.mark.slow
def test_a_second_run_measures_nothing_and_writes_the_same_bytes(finished):
    cells = (finished / "cells-quick.jsonl").read_bytes()
    before = {name: (finished / name).read_bytes() for name in PAGES}
    for name in PAGES:
        (finished / name).unlink()
    done = run(finished)
    assert done.returncode == 0, done.stderr
    assert (finished / "cells-quick.jsonl").read_bytes() == cells
    assert {name: (finished / name).read_bytes() for name in PAGES} == before
