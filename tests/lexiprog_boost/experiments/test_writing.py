"""Reports from made-up cells: what they hold, and that their order does not matter."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from lexiprog_boost.experiments import __main__ as command
from lexiprog_boost.experiments import writing as report
from lexiprog_boost.experiments.measure import store_of
from lexiprog_boost.experiments.studies import QUICK_BASELINES, study
from lexiprog_boost.experiments.writing import DIFFER_BETWEEN_RUNS, write_report
from tests.lexiprog_boost.experiments.made_up import fill, made_up_record


@pytest.fixture(scope="module")
def two_class():
    return study("keel-two-class", quick=True)


@pytest.fixture
def no_figures(monkeypatch):
    """As if matplotlib were not installed, which is also much faster."""
    for module in (report, command):
        monkeypatch.setattr(module, "find_spec", lambda _: None)


@pytest.fixture(scope="module")
def home(two_class, tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    fill(folder, two_class)
    return write_report(two_class, folder)


def test_every_file_is_listed_and_every_listed_file_is_there(home):
    listed = {
        line.split("](")[1].split(")")[0]
        for line in (home / "README.md").read_text().splitlines()
        if line.startswith("| [")
    }
    assert listed == {path.name for path in home.iterdir()} - {"README.md"}
    assert "All 104 cells are there." in (home / "README.md").read_text()
    assert "| file | what it holds |\n|---|---|\n" in (home / "README.md").read_text()


def test_cells_in_another_order_give_the_same_bytes(home, two_class, tmp_path):
    store = store_of(tmp_path, two_class)
    for cell in sorted(two_class.cells(), key=lambda one: one.key[::-1]):
        store.put(cell.key, made_up_record(two_class, cell))
    again = write_report(two_class, tmp_path)
    for path in home.iterdir():
        if path.name not in DIFFER_BETWEEN_RUNS:
            assert path.read_bytes() == (again / path.name).read_bytes(), path.name


def test_times_appear_in_no_other_file(no_figures, home, two_class, tmp_path):
    store = store_of(tmp_path, two_class)
    for cell in two_class.cells():
        record = made_up_record(two_class, cell)
        slow = [run | {"seconds": 1000 * run["seconds"]} for run in record["runs"]]
        store.put(cell.key, record | {"runs": slow, "seconds": 7e4})
    again = write_report(two_class, tmp_path)
    names = {path.name for path in again.iterdir()} - {"README.md"}  # which lists figures too
    changed = {name for name in names if (home / name).read_bytes() != (again / name).read_bytes()}
    assert changed == set(DIFFER_BETWEEN_RUNS) - {"times.png"}


def test_ranks_stand_beside_the_papers(home):
    text = (home / "ranks.md").read_text()
    assert text.splitlines()[2].startswith("Rank 1 is best; equal scores share their ranks. WSRT")
    # Two sets that rank nine methods alike: chi-square is 2 (9 - 1).
    assert ("Friedman: best setting chi-square 16.00, p = 0.042: H1; setting chosen inside the "
            "training folds chi-square 16.00, p = 0.042: H1; paper: H1.") in text  # fmt: skip
    block = text.split("## kNN, G-Mean, 2 of 2 data sets")[1].split("##")[0]
    rows = {
        line.split("|")[1].strip(): line.split("|")[2:-1]
        for line in block.splitlines()[2:]
        if "|" in line
    }
    ours = [cell.strip(" *") for cell in rows["average rank, best setting"]]
    assert ours == [f"{rank:.2f}" for rank in range(9, 0, -1)]
    paper = [cell.strip() for cell in rows["average rank, paper"]]
    assert (paper[0], paper[-1]) == ("7.87", "2.20")
    verdicts = [cell.strip() for cell in rows["WSRT, control Dual-LexiBoost, paper"]]
    assert verdicts == ["H1", "H1", "H1", "H1", "H1", "H0", "H1", "H1", "–"]


def test_scores_file_holds_every_fold(home, two_class):
    with (home / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 11 * 2 * 2  # sets, learners, methods, metrics, protocols
    cells = {(c.dataset, c.learner, c.method, c.fold): c for c in two_class.cells()}
    for row in rows:
        learner = "own" if row["contender"] in QUICK_BASELINES else row["learner"]
        wanted = []
        for fold in (0, 1):
            cell = cells[row["data set"], learner, row["contender"], fold]
            runs = made_up_record(two_class, cell)["runs"]
            wanted.append([run[row["metric"]] for run in runs])
        # Made-up scores inside the training fold are those of the test fold.
        best = int(np.argmax(np.mean(wanted, axis=0)))
        chosen = [max(fold) if row["protocol"] == "honest" else fold[best] for fold in wanted]
        folds = [float(row["fold 1"]), float(row["fold 2"])]
        assert folds == pytest.approx(chosen, abs=1e-6)
        assert float(row["mean"]) == pytest.approx(np.mean(folds), abs=1e-6)


def test_an_incomplete_store_says_so_and_uses_what_is_complete(no_figures, two_class, tmp_path):
    first = two_class.datasets[0]
    lost = f"keel-two-class/{first}/kNN/LexiBoost/0"
    fill(tmp_path, two_class, leave_out=[lost])
    store_of(tmp_path, two_class).put(lost, {"error": "MemoryError: too large", "seconds": 1.0})
    home = write_report(two_class, tmp_path)
    assert "1 of 104 cells are missing" in (home / "README.md").read_text()
    assert "## kNN, G-Mean, 1 of 2 data sets" in (home / "ranks.md").read_text()
    assert "## C4.5, G-Mean, 2 of 2 data sets" in (home / "ranks.md").read_text()
    assert f"| {lost} | MemoryError: too large |" in (home / "failures.md").read_text()


def test_a_report_of_some_sets_says_of_how_many(no_figures, tmp_path):
    some = study("keel-two-class", part="controls", sets=["pima", "haberman"])
    fill(tmp_path, some)
    home = write_report(some, tmp_path)
    assert "A run of 2 of 15 data sets, 5 folds" in (home / "README.md").read_text()
    assert "No cell has kept its own." in (home / "times.md").read_text()


def test_a_report_of_nothing_is_a_report(no_figures, two_class, tmp_path):
    home = write_report(two_class, tmp_path / "not" / "there")
    assert "104 of 104 cells are missing" in (home / "README.md").read_text()
    assert "No data set is complete yet." in (home / "ranks.md").read_text()


def test_a_setting_that_failed_is_named_once_with_its_cause(no_figures, two_class, tmp_path):
    store = store_of(tmp_path, two_class)
    for k, cell in enumerate(two_class.cells()):
        record = made_up_record(two_class, cell)
        if (cell.method, cell.learner, cell.fold) == ("LPUBoost", "C4.5", 1):
            cause = f"ValueError: nu is 0.1; at least 0.{k} is needed."
            record["runs"][0] = {"setting": record["runs"][0]["setting"], "error": cause}
        store.put(cell.key, record)
    lines = (write_report(two_class, tmp_path) / "failures.md").read_text().splitlines()
    (row,) = [line for line in lines if "LPUBoost" in line]
    name, where = "new-thyroid1", "new-thyroid1 (fold 2), new-thyroid2 (fold 2)"
    (first,) = [k for k, cell in enumerate(two_class.cells()) if cell.key == (
        f"keel-two-class/{name}/C4.5/LPUBoost/1")]  # fmt: skip
    assert row == (
        f"| LPUBoost | C4.5 | nu=0.1 beta=2 | 2 of 4 | {where} | "
        f"ValueError: nu is 0.1; at least 0.{first} is needed. |"
    )


def test_few_sets_are_counted_in_wins_and_losses(no_figures, tmp_path):
    images = replace(study("images"), datasets=("cifar8", "cifar9", "cifar10"))
    fill(tmp_path, images)
    text = (write_report(images, tmp_path) / "ranks.md").read_text()
    assert "Wins/ties/losses of the method against" in text.splitlines()[2]
    assert "Kruskal-Wallis finds a difference on 3 of 3 data sets." in text
    assert "| wins/ties/losses, control LexiBoost, paper | 0/2/1 | 0/3/0 | 0/2/1 | – |" in text
    (ours,) = {
        line
        for line in text.splitlines()
        if line.startswith("| wins/ties/losses, control LexiBoost |")
    }
    assert (
        ours
        == "| wins/ties/losses, control LexiBoost | 0/0/3 | 0/0/3 | 0/0/3 | – | 3/0/0 | 3/0/0 |"
    )


def test_tables_are_written_where_matplotlib_is_not(no_figures, two_class, tmp_path, capsys):
    fill(tmp_path, two_class)
    words = ["keel-two-class", "--quick", "--report-only", "--out", str(tmp_path)]
    assert command.main(words) == 0
    assert "pip install 'lexiprog[plot]'" in capsys.readouterr().out
    names = {path.suffix for path in (tmp_path / "keel-two-class-quick").iterdir()}
    assert names == {".md", ".csv"}
