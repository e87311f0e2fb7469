"""Finished work is never lost or done twice, and a failure stops nothing else."""

import json
import sys

import pytest

import lexiprog as lx
from lexiprog_boost.experiments.measure import Store, run_missing


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "deep" / "cells.jsonl")


def test_an_absent_store_is_empty(store):
    assert (store.finished(), store.records(), store.failures()) == (set(), [], {})


def test_records_come_in_the_order_of_their_keys(store):
    for key in ("b", "c", "a"):
        store.put(key, {"value": key})
    assert [record["value"] for record in store.records()] == ["a", "b", "c"]


def test_numbers_come_back_exactly(store):
    store.put("a", {"value": 0.1 + 0.2, "more": [1e-300, None, True]})
    assert store.records() == [{"value": 0.1 + 0.2, "more": [1e-300, None, True]}]


@pytest.mark.parametrize("kept", range(1, 30, 4))
def test_a_line_cut_anywhere_costs_that_line_alone(store, kept):
    store.put("a", {"value": 1})
    store.put("b", {"value": 2})
    lines = store.path.read_text().splitlines(keepends=True)
    store.path.write_text(lines[0] + lines[1][:kept])
    assert store.finished() == {"a"}
    store.put("c", {"value": 3})
    assert store.finished() == {"a", "c"}
    assert [record["value"] for record in store.records()] == [1, 3]


def test_a_whole_line_without_its_end_is_kept(store):
    store.put("a", {"value": 1})
    store.path.write_text(store.path.read_text().rstrip("\n"))
    store.put("b", {"value": 2})
    assert store.finished() == {"a", "b"}


def test_a_number_that_json_lacks_is_refused(store):
    with pytest.raises(ValueError, match="Out of range float"):
        store.put("a", {"value": float("nan")})
    assert store.finished() == set()


def test_a_later_success_replaces_a_failure(store):
    store.put("a", {"error": "ValueError: once"})
    assert store.failures() == {"a": "ValueError: once"}
    store.put("a", {"value": 1})
    assert (store.failures(), store.finished()) == ({}, {"a"})


def test_ctrl_c_inside_a_program_stops_the_work_and_is_no_record(store):
    def measure(task):
        raise lx.Interrupted("interrupted", partial=None)

    with pytest.raises(KeyboardInterrupt):
        run_missing({"a": 1}, measure, store, n_jobs=1, progress=False)
    assert (store.finished(), store.failures()) == (set(), {})


def test_only_what_is_missing_is_measured(store):
    store.put("a", {"value": 0})
    measured = []

    def measure(task):
        measured.append(task)
        return {"value": task}

    tasks = {"a": 1, "b": 2, "c": 3}
    assert run_missing(tasks, measure, store, n_jobs=1, progress=False) == {}
    assert measured == [2, 3]
    assert [record["value"] for record in store.records()] == [0, 2, 3]
    run_missing(tasks, measure, store, n_jobs=1, progress=False)
    assert measured == [2, 3]


def test_the_bar_counts_what_was_there(store, capsys):
    store.put("a", {"value": 0})
    run_missing({"a": 1, "b": 2}, lambda task: {"value": task}, store, n_jobs=1, label="mine")
    shown = capsys.readouterr().err
    assert "mine: 100%" in shown
    assert "2/2" in shown


def test_without_tqdm_the_work_is_done_without_a_bar(store, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert run_missing({"a": 1}, lambda task: {"value": task}, store, n_jobs=1) == {}
    assert store.finished() == {"a"}
    assert capsys.readouterr().err == ""


def test_a_task_that_raises_is_named_with_its_cause_and_tried_again(store):
    broken = {"two"}

    def measure(task):
        if task in broken:
            raise RuntimeError(f"{task} is broken")
        return {"value": task}

    tasks = {word: word for word in ("one", "two", "three")}
    failures = run_missing(tasks, measure, store, n_jobs=1, progress=False)
    assert failures == {"two": "RuntimeError: two is broken"} == store.failures()
    assert store.finished() == {"one", "three"}
    broken.clear()
    assert run_missing(tasks, measure, store, n_jobs=1, progress=False) == {}
    assert store.finished() == set(tasks)


def test_every_result_is_on_disk_before_the_next_is_asked_for(store):
    def measure(task):
        if task == 3:
            raise KeyboardInterrupt
        return {"value": task}

    with pytest.raises(KeyboardInterrupt):
        run_missing({str(k): k for k in range(5)}, measure, store, n_jobs=1, progress=False)
    keys = [json.loads(line)["key"] for line in store.path.read_text().splitlines()]
    assert keys == ["0", "1", "2"]
