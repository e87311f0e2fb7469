"""Files are written as a whole or not at all, and read with the place of what does not fit."""

import json
import random
import re
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.results import files as store
from tests.lexiprog.results.test_result import Plant


@pytest.fixture(scope="module")
def result():
    return Plant().program.solve()


@pytest.fixture(scope="module")
def record(result, tmp_path_factory):
    """The content of a file with proofs, which has every kind of field."""
    path = tmp_path_factory.mktemp("files") / "result.json"
    result.save(path, proof=True)
    return json.loads(path.read_text())


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


def signed(record):
    """The record with the checksum of what it holds, as somebody would who forges a file."""
    body = {key: part for key, part in record.items() if key not in ("format", "checksum")}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return record | {"checksum": sha256(text.encode()).hexdigest()}


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
    path.write_text(json.dumps(signed(put(record, place, value))))
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
    10**400, {"fraction": "1e400000000"}, {"float": "nan"}, {"float": "inf"},
    json.loads("[" * 900 + "]" * 900), {"array": [10**400], "shape": [1], "dtype": "int64"},
    {"array": [1], "shape": [-1], "dtype": "O"},
]  # fmt: skip


def test_whatever_is_changed_a_file_loads_or_is_refused_with_its_name(tmp_path, record):
    path, rng = tmp_path / "broken.json", random.Random(11)
    everywhere = [place for place in places(record) if place]
    refused = 0
    for _ in range(600):
        changed = signed(put(record, rng.choice(everywhere), rng.choice(STRANGE)))
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


def test_every_changed_digit_is_noticed(tmp_path, record):
    path, rng = tmp_path / "changed.json", random.Random(3)
    text = json.dumps(record, indent=1)
    digits = [k for k, letter in enumerate(text) if letter.isdigit()]
    for place in rng.sample(digits, 150):
        other = rng.choice([digit for digit in "123456789" if digit != text[place]])
        changed = text[:place] + other + text[place + 1 :]
        path.write_text(changed)
        if json.loads(changed) == record:  # digits beyond those that a float has
            continue
        assert "changed.json" in refusal(path), text[place - 30 : place + 30]


@pytest.mark.parametrize("mark", ["lexiprog result 2", "lexiprog result 1"])
def test_a_file_that_calls_itself_older_keeps_its_checksum_in_vain(tmp_path, record, mark):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(record | {"format": mark}))
    assert "checksum" in refusal(path)


@pytest.mark.parametrize(
    "text", ["1e400000000", "1e9", "1/0", "1" * 5000, "1/2/3", " 1", "٣", "0x", "0x1/2", 3]
)
def test_what_is_not_digits_over_digits_is_no_fraction(tmp_path, record, text):
    path = tmp_path / "broken.json"
    changed = put(record, ("solutions", 0, "exact"), {"fraction": text})
    path.write_text(json.dumps(signed(changed)))
    assert re.search(r"broken\.json.*solutions\[0\]\.exact", refusal(path))


def test_fractions_longer_than_python_prints_come_back_as_they_were(tmp_path):
    long = Fraction(-(7**6000), 3**9000)
    store.write({"exact": long}, tmp_path / "long.json")
    assert store.read(tmp_path / "long.json") == {"exact": long}


@pytest.mark.parametrize("number", [{"float": "nan"}, {"float": "inf"}, 10**400])
@pytest.mark.parametrize(
    "place",
    [
        ("value",),
        ("variables", "x", "array", 0),
        ("bound",),
        ("unit",),
        ("evidence", "x", "array", 0),
    ],
)
def test_values_that_no_solve_finds_are_refused_with_their_place(tmp_path, record, place, number):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(signed(put(record, ("solutions", 0, *place), number))))
    assert re.search(rf"broken\.json.*solutions\[0\]\.{place[0]}", refusal(path))


def test_a_name_as_long_as_the_file_system_takes_can_be_saved(tmp_path, result):
    for name in ("n" * 250 + ".json", "ñ" * 122 + ".json"):
        result.save(tmp_path / name)
        assert list(lx.Result.load(tmp_path / name)) == list(result)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("variables", "x", "array", 0), "its objective is|its point misses"),
        (("value",), "its objective is"),
    ],
)
def test_a_forged_point_or_value_is_refused_by_its_program(tmp_path, record, place, words):
    path, plant = tmp_path / "forged.json", Plant()
    changed = put(record, ("solutions", 0, *place), 0.75)
    path.write_text(json.dumps(signed(changed)))
    forged = lx.Result.load(path)
    for build in (
        lambda: lx.Result.load(path, plant.program),
        lambda: plant.program.solve(resume=forged),
    ):
        with pytest.raises(lx.LexiprogError, match=rf"'left'.*({words})"):
            build()


def test_a_forged_point_of_equal_value_is_refused_for_the_constraint_it_misses():
    x = cp.Variable(2, name="x")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x >= [1, 2]])
    program = lx.Program(lx.Stage("only", low))
    result = program.solve()
    forged = replace(result["low"], variables={"x": np.array([2.0, 1.0])})
    with pytest.raises(lx.LexiprogError, match=r"misses .*x.* by 1"):
        program.solve(resume=lx.Result(result.stages, {"low": forged}))


def test_large_terms_that_cancel_do_not_keep_a_right_point_out():
    x = cp.Variable(2, name="x")
    rows = np.array([[1e9, -1e9], [1.0, 1.0]])
    low = lx.Subproblem("low", cp.Minimize(x[0]), [rows @ x == [1.0, 2e6], x[0] >= 0])
    program = lx.Program(lx.Stage("only", low))
    result = program.solve()
    assert program.solve(resume=result)["low"].value == result["low"].value
