"""The benchmarks run, agree with what they compare to, and write what they print."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from sklearn.metrics import recall_score

import lexiprog as lx
from lexiprog_boost.classifiers.shared.listed_members import default_pool
from lexiprog_boost.datasets import load_keel
from lexiprog_boost.experiments.measure import Store

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = {
    "engine": {"sweep", "tiny", "parallel"},
    "integer": {"proof", "limit"},
    "preemptive": {"transport", "covering"},
    "sweeps": {"covering"},
    "control": {"humanoid", "families", "solve", "hierarchies", "compiled"},
    "fronts": {"curves", "fronts", "small", "images", "convex"},
    "front_knapsacks": {"workers"},
    "games": {"least_core", "nucleolus"},
    "growth": {"growth"},
    "leximin": {"filling", "small"},
    "classifier_times": {"fits"},
    "error_limit": {"5 neighbours", "3 neighbours", "10 neighbours"},
    "scale": {"tasks", "means", "passes", "growth"},
    "one_class": {"auc", "kinds"},
    "priorities": {"real", "times", "drawn"},
    "ensemble_choices": {"given", "thresholds"},
    "trust": {"families"},
    "ratios": {"ratios"},
}


@pytest.fixture(scope="module")
def preemptive(tmp_path_factory):
    """That program forks, so that it runs in a process of its own."""
    out = tmp_path_factory.mktemp("preemptive")
    command = [sys.executable, str(BENCHMARKS / "preemptive.py"), "--quick", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return out, done.stdout


@pytest.fixture
def quick_run(request, tmp_path, monkeypatch, capsys):
    """Runs a program in this process, where most of what it imports is; its folder and words."""

    def run(name):
        if name == "preemptive":
            return request.getfixturevalue("preemptive")
        monkeypatch.syspath_prepend(str(BENCHMARKS))
        assert not importlib.import_module(name).main(["--quick", "--out", str(tmp_path)])
        return tmp_path, capsys.readouterr().out

    return run


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # as nobody looks at them in a process of its own
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_quick_run_writes_its_table_and_its_numbers(name, quick_run):
    out, said = quick_run(name)
    record = json.loads((out / f"{name}.json").read_text())
    assert record["machine"]["cores"] >= 1
    assert PROGRAMS[name] <= record.keys()
    for line in (out / f"{name}.md").read_text().splitlines():
        if line.startswith("|"):
            assert line in said


def test_in_a_quick_preemptive_run_lexiprog_is_right_and_proves_it(preemptive):
    for comparison in json.loads((preemptive[0] / "preemptive.json").read_text())["transport"]:
        assert comparison["proof gap"] <= 1e-9
        assert abs(comparison["methods"]["lexiprog"]["error"]) <= 1e-9
        assert comparison["methods"]["lexiprog"]["outside"] <= 1e-9
        assert comparison["locks"] == ["face"]


def test_rivals_in_matters_of_trust_are_asked_the_same_questions(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    rivals = __import__("_trust_rivals")
    # At most 5 of the 7 wanted, with at most 3 of x: then y is 2, and 1.5 too much.
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")
    wanted = [x + y >= 7, x >= 4, y <= 0.5]
    goals = [lx.Goal(str(k), goal, priority=k + 1) for k, goal in enumerate(wanted)]
    program = lx.goal_program(goals, [x + y <= 5, x <= 3, y <= 4])
    level = {"least": cp.Minimize(x + 2 * y), "most": cp.Maximize(x - y + 1)}
    mixed = lx.preemptive(level, [x + y >= 3, x <= 2.5])
    for rival in (rivals.highs_own, rivals.cvxpy_loop, rivals.gurobi_hierarchical):
        try:
            assert rival(program) == pytest.approx([2.0, 1.0, 1.5], abs=1e-7)
            assert rival(mixed) == pytest.approx([3.5, 3.0], abs=1e-7)
        except rivals.Unfit:
            assert rival is rivals.gurobi_hierarchical  # the others are always there


def test_where_data_have_no_malice_everyone_is_right():
    record = json.loads((BENCHMARKS / "results" / "trust.json").read_text())["families"]
    for name in ("plain_chains", "plain_integer_chains"):
        for who, counts in record[name].items():
            assert counts.keys() == {"right"} or (who, counts.keys()) == ("Gurobi", {"unfit"})
    assert not any("wrong" in found["lexiprog"] for found in record.values())


@pytest.mark.parametrize("name", ["engine", "preemptive"])
def test_the_committed_results_are_of_a_full_run(name):
    record = json.loads((BENCHMARKS / "results" / f"{name}.json").read_text())
    part = record["sweep"] if name == "engine" else record["transport"]
    assert max(entry["rows"] for entry in part) >= 10_000


@pytest.mark.slow
def test_the_development_of_the_default_runs_and_goes_on_from_its_cells(tmp_path):
    command = [
        sys.executable, str(BENCHMARKS / "develop_ensemble.py"),
        "--quick", "--kept", str(tmp_path), "--out", str(tmp_path),
    ]  # fmt: skip
    subprocess.run(command, capture_output=True, timeout=600, check=True)
    store = Store(tmp_path / "cells.jsonl")
    cells = store.records()
    assert len(cells) == 2
    assert len(cells[0]["hits"]) >= 20
    data = load_keel("new-thyroid1")
    train, test = next(data.splits())
    boosting = dict(default_pool())["boosting"]
    boosting.set_params(histgradientboostingclassifier__random_state=0)
    guess = boosting.fit(data.X[train], data.y[train]).predict(data.X[test])
    recalls = recall_score(data.y[test], guess, average=None)
    assert cells[0]["points"] == np.unique(data.y[test], return_counts=True)[1].tolist()
    alone = np.divide(cells[0]["hits"]["alone: boosting"], cells[0]["points"])
    assert alone == pytest.approx(recalls)
    for key in store.finished():
        task = ["new-thyroid1", 0, int(key.split("/")[2])]
        hits = {title: [1, 1] for title in cells[0]["hits"]}
        store.put(key, cells[0] | {"task": task, "points": [2, 2], "hits": hits})
    subprocess.run(command, capture_output=True, timeout=600, check=True)
    table = (tmp_path / "ensemble-development.md").read_text()
    assert re.search(r"^\| Voting +\| 0\.5000 ", table, re.MULTILINE)
