"""The series of benchmarks: one record a commit and processor, in the order of the commits."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
SERIES = BENCHMARKS / "results/series.json"


@pytest.fixture
def series(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import series

    return series


def told(commit, committed, processor="A", **more):
    return {"commit": commit, "committed": committed, "processor": processor, **more}


def test_a_commit_that_is_measured_again_replaces_its_record(series):
    found = []
    for new in (told("b", "2026-02", ms=1), told("a", "2026-01"), told("b", "2026-02", ms=2),
                told("b", "2026-02", "another")):  # fmt: skip
        found = series.added(found, new)
    assert [(of["commit"], of["processor"], of.get("ms")) for of in found] == [
        ("a", "A", None), ("b", "A", 2), ("b", "another", None)]  # fmt: skip


@pytest.mark.slow
def test_this_checkout_is_measured(tmp_path):
    out = tmp_path / "series.json"
    command = [sys.executable, BENCHMARKS / "series.py", "--quick", "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    (found,) = json.loads(out.read_text())
    assert re.fullmatch(r"[0-9a-f]{7,}\+?", found["commit"])
    assert all(took > 0 for took in found["ms"].values())
    assert "import lexiprog" in found["ms"]


def test_the_series_that_is_kept_is_of_commits_of_this_repository():
    kept = json.loads(SERIES.read_text())
    assert kept
    for of in kept:
        found = subprocess.run(
            ["git", "-C", ROOT, "cat-file", "-t", of["commit"]], capture_output=True, text=True
        )
        if found.returncode == 0:  # a clone need not have the whole history
            assert found.stdout == "commit\n"
        assert sum(of.get("cases", {"none": 1}).values()) > 0
