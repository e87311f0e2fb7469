"""The command from end to end: a smoke run of everything, killed runs, what it says."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from lexiprog_boost.experiments import __main__ as command
from lexiprog_boost.experiments.measure import Store, store_of
from lexiprog_boost.experiments.studies import study
from lexiprog_boost.experiments.writing import DIFFER_BETWEEN_RUNS

pytestmark = pytest.mark.slow

STUDIES = ("artificial", "keel-two-class", "keel-multi-class", "hyperspectral")
KILLED = "artificial"


def run(*arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = command.main([str(one) for one in arguments])
    return code, said.getvalue()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Everything, uninterrupted."""
    folder = tmp_path_factory.mktemp("whole")
    code, said = run("all", "--quick", "--jobs", 1, "--out", folder)
    return folder, code, said


def test_everything_runs_and_says_where_it_is(whole):
    folder, code, said = whole
    assert code == 0, said
    assert "images: left out; its data come with no package: give --data-dir DIR." in said
    for name in STUDIES:
        cells = len(list(study(name, quick=True).cells()))
        home = folder / f"{name}-quick"
        assert f"{name}: {cells} of {cells} cells, report in {home / 'README.md'}" in said
        assert re.search(rf"{name}: \d+ s of processor time for {cells} cells\.", said)


def test_the_whole_ends_with_a_page_of_what_every_study_took(whole):
    folder, _, said = whole
    page = folder / "README.md"
    assert said.splitlines()[-1] == f"All studies, and what they took: {page}"
    rows = [line for line in page.read_text().splitlines() if line.startswith("| [")]
    assert [row.split("]")[0] for row in rows] == [f"| [{name}-quick" for name in STUDIES]
    for row, name in zip(rows, STUDIES, strict=True):
        columns = [cell.strip() for cell in row.split("|")[1:-1]]
        cells = len(list(study(name, quick=True).cells()))
        assert (columns[2], columns[5:]) == (str(cells), ["1", "1"])


@pytest.mark.parametrize("name", STUDIES)
def test_no_setting_fails_and_no_cell_is_missing(whole, name):
    home = whole[0] / f"{name}-quick"
    assert "cells are there." in (home / "README.md").read_text()
    assert "No setting failed." in (home / "failures.md").read_text()


@pytest.mark.parametrize("method", ["LexiBoost", "Dual-LexiBoost"])
def test_cost_one_is_the_method_without_costs(whole, method):
    quick = study("keel-two-class", quick=True)
    scores = {}
    for record in store_of(whole[0], quick).records():
        for found in record["runs"]:
            swept = record["contender"] == f"{method} with costs"
            if record["contender"] == method or (swept and found["setting"]["cost"] == 1.0):
                where = record["dataset"], record["learner"], record["fold"]
                scores.setdefault(where, set()).add((found["g_mean"], found["auc"]))
    assert len(scores) == 8
    assert all(len(values) == 1 for values in scores.values())


def start(folder):
    words = [sys.executable, "-m", "lexiprog_boost.experiments", KILLED, "--quick", "--jobs", "1"]
    # A group of its own, so that a signal reaches its workers and not this process.
    return subprocess.Popen(
        [*words, "--out", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
        # A shell that runs the tests in the background has them ignore Ctrl-C, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def stop(process, store, cells, by):
    """Send the signal as soon as so many lines are on disk."""
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        if store.path.exists() and store.path.read_text().count("\n") >= cells:
            break
        time.sleep(0.01)
    os.killpg(process.pid, by)
    try:
        return process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """The same study, stopped by Ctrl-C, killed, and then run to its end."""
    folder = tmp_path_factory.mktemp("killed")
    store = store_of(folder, study(KILLED, quick=True))
    first = start(folder)
    said = stop(first, store, 5, signal.SIGINT)
    second = start(folder)
    stop(second, store, 20, signal.SIGKILL)
    before = store.path.read_text()
    code, last = run(KILLED, "--quick", "--jobs", 1, "--out", folder)
    return {
        "folder": folder, "ctrl-c": (first.returncode, *said), "killed": second.returncode,
        "before": before, "after": store.path.read_text(), "last": (code, last),
    }  # fmt: skip


def test_ctrl_c_is_a_sentence_and_no_traceback(interrupted):
    code, out, err = interrupted["ctrl-c"]
    assert code == 130
    assert "of 56 cells are kept; run the same command to go on." in out
    assert "Traceback" not in out + err


def test_finished_cells_are_kept_and_not_measured_again(interrupted):
    assert interrupted["killed"] == -signal.SIGKILL
    before = interrupted["before"].splitlines()
    assert 20 <= len(before) < 56
    assert interrupted["after"].startswith(interrupted["before"])
    assert len(interrupted["after"].splitlines()) == 56 + (not interrupted["before"].endswith("\n"))


def test_killed_runs_end_in_the_same_bytes_as_one_that_was_not(interrupted, whole):
    code, said = interrupted["last"]
    assert code == 0, said
    ours, theirs = interrupted["folder"] / f"{KILLED}-quick", whole[0] / f"{KILLED}-quick"
    names = {path.name for path in theirs.iterdir()}
    assert names == {path.name for path in ours.iterdir()}
    for name in names - set(DIFFER_BETWEEN_RUNS):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def test_images_alone_need_a_folder(tmp_path):
    code, said = run("images", "--quick", "--out", tmp_path)
    assert (code, "--data-dir DIR" in said) == (1, True)


def test_a_report_of_nothing_says_what_to_do(tmp_path):
    code, said = run(KILLED, "--report-only", "--out", tmp_path)
    assert code == 1
    assert "there are no finished cells" in said
    assert "leave --report-only out" in said


def test_failed_cells_are_told_with_their_causes_and_the_code_is_one(tmp_path, monkeypatch):
    causes = {"artificial/x/kNN/a/0": "ImportError: no", "artificial/x/kNN/a/1": "ImportError: no",
              "artificial/x/kNN/b/0": "ValueError: odd"}  # fmt: skip
    monkeypatch.setattr(command, "measure_study", lambda *_, **__: causes)
    code, said = run(KILLED, "--quick", "--out", tmp_path)
    assert code == 1
    assert "artificial: 2 cells failed, the first artificial/x/kNN/a/0: ImportError: no" in said
    assert "artificial: 1 cell failed, artificial/x/kNN/b/0: ValueError: odd" in said
    assert "tries the failed cells again" in said


def test_a_cell_without_its_data_fails_with_a_sentence(tmp_path):
    code, said = run("images", "--quick", "--jobs", 1, "--out", tmp_path, "--data-dir", tmp_path)
    assert code == 1
    assert "there is no cifar10imb_effnetlite0.npz" in said
    assert Store(tmp_path / "cells" / "images-quick.jsonl").finished() == set()


@pytest.mark.parametrize(
    "wrong",
    [["moon"], [], ["all", "--jobs", "two"], ["all", "--sets", "pima"],
     ["keel-two-class", "--sets", "moon"], ["keel-two-class", "--without", "moon"]],
)  # fmt: skip
def test_a_wrong_command_is_answered_with_its_usage(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        command.main(wrong)
    assert stopped.value.code == 2
    assert "usage: python -m lexiprog_boost.experiments" in capsys.readouterr().err


@pytest.fixture(scope="module")
def own_table(tmp_path_factory):
    """Two overlapping classes, one of them a word that is rarer."""
    file = tmp_path_factory.mktemp("own") / "mine.csv"
    rng = np.random.default_rng(0)
    rare = rng.random(80) < 0.3
    X = rng.normal(size=(80, 2)) + rare[:, None]
    kinds = np.where(rare, "rare", "common")
    rows = [f"{a:.3f},{b:.3f},{kind}" for (a, b), kind in zip(X, kinds, strict=True)]
    file.write_text("\n".join(["height,width,kind", *rows]))
    return file


def test_a_table_of_ones_own_goes_through_every_method(own_table, tmp_path):
    code, said = run("--data", own_table, "--quick", "--jobs", 1, "--out", tmp_path)
    assert code == 0, said
    (home,) = tmp_path.glob("own-data-mine-quick-*")
    for name in ("Dual-LPUBoost", "BalancedRandomForest"):
        assert name in (home / "scores.md").read_text()
    assert "Kruskal-Wallis finds a difference on" in (home / "ranks.md").read_text()
    assert (home / "folds.png").exists()
    assert not (home / "critical-difference.png").exists()


def test_what_is_left_out_has_no_table_and_no_missing_cells(own_table, tmp_path):
    words = "--data", own_table, "--quick", "--jobs", 1, "--out", tmp_path, "--learner", "kNN"
    code, said = run(*words, "--without", "rivals", "costs")
    assert code == 0, said
    (home,) = tmp_path.glob("own-data-mine-quick-*")
    assert "cells are there." in (home / "README.md").read_text()
    names = {path.name for path in home.iterdir()}
    assert {"ranks.md", "controls.md"} <= names
    assert not names & {"rivals.md", "costs.md", "costs.png"}


def test_a_table_that_cannot_be_used_is_a_sentence(tmp_path):
    code, said = run("--data", tmp_path / "none.csv", "--out", tmp_path)
    assert (code, said.strip()) == (
        1, f"own-data: there is no file {tmp_path / 'none.csv'}; give the path of a csv file."
    )  # fmt: skip


def test_a_study_and_a_table_at_once_are_answered_with_the_usage(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["all", "--data", str(tmp_path / "mine.csv")])
    assert "or a table of your own with --data FILE.csv" in capsys.readouterr().err
