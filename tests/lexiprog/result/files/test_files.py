"""Files are written as a whole or not at all, and read with the place of what does not fit."""

import errno
import json
import multiprocessing
import os
import random
import stat
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.result.files import store
from lexiprog.result.files.atomic import replace_file
from tests.lexiprog.result.test_result import Plant

POSIX = pytest.mark.skipif(os.name != "posix", reason="kills and limits are POSIX's")


@pytest.fixture(scope="module")
def result():
    return Plant().program.solve()


@pytest.fixture(scope="module")
def record(result, tmp_path_factory):
    """The content of a file with proofs, which has every kind of field."""
    path = tmp_path_factory.mktemp("files") / "result.json"
    result.save(path, proof=True)
    return json.loads(path.read_text())


@POSIX
def test_a_process_killed_while_it_writes_leaves_the_old_file_or_the_new_one(tmp_path):
    path, rng = tmp_path / "big.txt", random.Random(7)
    texts = [str(k) * 2_000_000 for k in range(2)]
    replace_file(path, texts[0])
    killed = 0
    for _ in range(12):
        writer = multiprocessing.get_context("fork").Process(
            target=lambda: [replace_file(path, texts[k % 2]) for k in range(10_000)]
        )
        writer.start()
        while len(list(tmp_path.iterdir())) == 1:  # until it has begun
            time.sleep(0.0005)
        time.sleep(rng.random() * 0.02)
        killed += len(list(tmp_path.glob(".big.txt.*.tmp")))
        writer.kill()
        writer.join()
        assert path.read_text() in texts
        for rest in tmp_path.glob(".big.txt.*.tmp"):
            rest.unlink()
    assert killed >= 3, "the writer was hardly ever in the middle of it"


FULL = """
import resource, sys
from lexiprog.result.files.atomic import replace_file
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
replace_file(sys.argv[1], "x" * 1_000_000)
"""


@POSIX
def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("the old one")
    found = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True)
    assert "OSError" in found.stderr
    assert "is still what it was before" in found.stderr
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_at_the_last_moment_leaves_the_old_file_and_nothing_else(
    tmp_path, result, monkeypatch
):
    path = tmp_path / "result.json"
    result.save(path)
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        result.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_links_stay_links_and_modes_stay_as_they_are(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    replace_file(target, "one")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask
    target.chmod(0o600)
    link.symlink_to(target)
    replace_file(link, "two")
    assert link.is_symlink()
    assert target.read_text() == "two"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    replace_file(os.devnull, "three")  # a device is written to, not replaced
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_does_not_exist_is_an_error_of_the_system(tmp_path, result):
    with pytest.raises(FileNotFoundError):
        result.save(tmp_path / "missing" / "result.json")


def test_every_kind_of_number_comes_back_as_it_was(tmp_path):
    numbers = {
        "array": np.array([[1.0, np.nan], [np.inf, -0.0]]),
        "complex": np.array([1 + 2j, complex(np.inf, -1)]),
        "whole": np.array([2**60, -1]),
        "true": np.array([True, False]),
        "empty": np.zeros((0, 3)),
        "scalar": np.array(0.1),
        "fractions": np.array([Fraction(1, 3), Fraction(-2, 7)], dtype=object),
    }
    record = numbers | {"exact": Fraction(22, 7), "none": None, "inf": float("-inf")}
    store.write(record, tmp_path / "numbers.json")
    found = store.read(tmp_path / "numbers.json")
    for name, value in numbers.items():
        assert found[name].dtype == value.dtype
        assert found[name].shape == value.shape
        np.testing.assert_array_equal(found[name], value)
    assert (found["exact"], found["none"], found["inf"]) == (Fraction(22, 7), None, float("-inf"))


@pytest.mark.parametrize("name", ["float", "fraction", "pairs", "array"])
def test_a_variable_may_have_the_name_of_a_mark_in_the_file(tmp_path, name):
    x = cp.Variable(2, name=name)
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x >= 1])
    lx.Program(lx.Stage("only", low)).solve().save(tmp_path / "odd.json")
    assert lx.Result.load(tmp_path / "odd.json")["low"][name].tolist() == [1.0, 1.0]


def put(record, path, value):
    """A copy of the record with another value, or without one, at a place."""
    changed = json.loads(json.dumps(record))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if value is DELETED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


DELETED = object()


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("solutions", 0, "value"), "eight", r"solutions\[0\]\.value: 'eight' is not a number"),
        (("solutions", 1, "status"), "fine", r"solutions\[1\]\.status: 'fine' is not one of"),
        (("solutions", 2, "variables", "x"), [1], r"solutions\[2\]\.variables\.x: .* an array"),
        (("solutions", 0, "variables", "x", "shape"), [7], r"variables\.x: 2 numbers don't fill"),
        (("solutions", 0, "variables", "x", "array", 1), "a", r"variables\.x: 'a' is no number"),
        (("solutions", 0, "certificate", "gap"), None, r"certificate\.gap: None is not a number"),
        (("solutions", 0, "certificate", "more"), 1, r"certificate\.more: .* no such field"),
        (("solutions", 0, "solver"), DELETED, r"solutions\[0\]\.solver: this field is missing"),
        (("solutions", 0, "digest", "constraints"), 5, r"digest\.constraints: 5 is not a list"),
        (("solutions", 0, "name"), "other", r"solutions\[0\]\.name: 'other' is not in stages"),
        (("stages",), DELETED, r"stages: None is not a mapping"),
        (("solutions", 0, "evidence", "A", "rows"), 3, r"evidence\.A\.rows: 3 is not an array"),
        (("solutions", 0, "evidence", "cones", "psd_layout"), "x", r"cones\.psd_layout: this is"),
        (("format",), "lexiprog result 99", r"its format is 'lexiprog result 99'"),
    ],
)
def test_the_place_of_what_does_not_fit_is_named(tmp_path, record, place, value, words):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(put(record, place, value)))
    with pytest.raises(lx.LexiprogError, match=rf"broken\.json.*{words}"):
        lx.Result.load(path)


def test_text_that_is_no_json_is_refused_with_line_and_column(tmp_path):
    path = tmp_path / "broken.json"
    for text, words in [
        ('{\n "format": 3,\n oops}', "line 3 column 2"),
        ('{"format": NaN}', "NaN is no JSON"),
        ("[" * 100_000, "recursion"),
    ]:
        path.write_text(text)
        with pytest.raises(lx.LexiprogError, match=rf"broken\.json.*{words}"):
            lx.Result.load(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(lx.LexiprogError, match=r"broken\.json"):
        lx.Result.load(path)


def places(value, path=()):
    """Every place in a record."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def refusal(path):
    """What a file is refused with, or nothing if it can be read, shown and saved again."""
    try:
        loaded = lx.Result.load(path)
    except lx.LexiprogError as error:
        return str(error)
    str(loaded)
    loaded.save(path.with_name("again.json"))
    return ""


STRANGE = [
    None, True, -3, 1e400, "text", [], {}, [[]], {"float": "abc"}, {"fraction": "1/0"},
    {"array": [1], "shape": [2], "dtype": "float64"}, {"pairs": 1}, {"pairs": [[1]]},
    {"array": 1, "shape": 1, "dtype": 1}, {"array": [1], "shape": [1], "dtype": "V9"}, DELETED,
]  # fmt: skip


def test_whatever_is_changed_a_file_loads_or_is_refused_with_its_name(tmp_path, record):
    path, rng = tmp_path / "broken.json", random.Random(11)
    everywhere = [place for place in places(record) if place]
    refused = 0
    for _ in range(600):
        changed = put(record, rng.choice(everywhere), rng.choice(STRANGE))
        path.write_text(json.dumps(changed).replace("Infinity", "1e400"))
        said = refusal(path)
        assert not said or "broken.json" in said
        refused += bool(said)
    assert refused > 300


def test_a_file_cut_off_or_scribbled_upon_loads_or_is_refused_with_its_name(tmp_path, record):
    path, rng = tmp_path / "broken.json", random.Random(5)
    text = json.dumps(record, indent=1).encode()
    for k in range(200):
        place = rng.randrange(len(text))
        if k % 2:
            path.write_bytes(text[:place])
        else:
            path.write_bytes(text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :])
        said = refusal(path)
        assert not said or "broken.json" in said


def test_a_folder_that_is_not_there_is_named(result, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such folder") as caught:
        result.save(tmp_path / "nowhere" / "result.json")
    assert caught.value.filename == str(tmp_path / "nowhere")
