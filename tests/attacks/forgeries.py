"""Saved proofs that say what is not true, as somebody would forge them for the standalone page.

Each forger changes a record in place and returns False where it has nothing to change. FORGERS make
a false statement, which the page must not call proved without naming what it takes on trust.
UNDETECTED change what no page could tell from the file alone; the page's docstring lists them.
"""

import contextlib
import copy
import importlib.util
import io
import json
from pathlib import Path

from tests.attacks.tally import Tally
from tests.lexiprog.results.proved_programs import PROGRAMS

PAGE = Path(__file__).parents[2] / "docs" / "check_certificates.py"
FORGERS, UNDETECTED = {}, {}


def load_page():
    spec = importlib.util.spec_from_file_location("check_certificates", PAGE)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


def forger(function):
    FORGERS[function.__name__] = function
    return function


def undetected(function):
    UNDETECTED[function.__name__] = function
    return function


def any_of(rng, record):
    return rng.choice(record["solutions"])


def numbers(proof, name):
    part = proof[name]
    return None if part is None else part["array"] if "array" in part else part["values"]["array"]


def matrix(proof):
    return {name: proof["A"][name]["array"] for name in ("rows", "columns", "values")}


def wrong(rng, value):
    """Another number, away from the value by a thousandth of it at least."""
    return value + rng.choice([-1, 1]) * (1 + abs(value)) * 10 ** rng.uniform(-3, 2)


@forger
def a_value_that_is_no_number(rng, record):
    any_of(rng, record)["value"] = {"float": rng.choice(["nan", "inf", "-inf"])}


@forger
def another_value(rng, record):
    found = any_of(rng, record)
    found["value"] = wrong(rng, found["value"])


@forger
def another_value_with_tolerances_to_match(rng, record):
    found = any_of(rng, record)
    found["value"] = wrong(rng, found["value"])
    found["certificate"] |= {"tolerance": 1e9, "gap_tolerance": 1e9}


@forger
def no_solutions(rng, record):
    record["solutions"] = []
    if rng.random() < 0.5:
        record["stages"] = {}


@forger
def one_solution_less(rng, record):
    record["solutions"].remove(any_of(rng, record))


@forger
def one_solution_twice(rng, record):
    record["solutions"].append(any_of(rng, record))


@forger
def a_cost_that_is_not_positive(rng, record):
    any_of(rng, record)["evidence"]["cost"] = rng.choice([-1.0, 0.0, -1e-9, {"float": "nan"}])


@forger
def a_negative_cost_with_the_value_to_match(rng, record):
    found = any_of(rng, record)
    found["value"], found["evidence"]["cost"] = -found["value"], -found["evidence"]["cost"]


@forger
def columns_called_integer(rng, record):
    """The bound that the file itself names then counts; the point and its value are false."""
    found = any_of(rng, record)
    proof = found["evidence"]
    if numbers(proof, "integer"):
        return False
    size = len(numbers(proof, "x"))
    proof["integer"] = {"array": [rng.randrange(size)], "shape": [1], "dtype": "int64"}
    found["value"] = found["bound"] = wrong(rng, found["value"])
    return None


@forger
def an_infeasible_point(rng, record):
    proof = any_of(rng, record)["evidence"]
    x = numbers(proof, "x")
    x[:] = [1e3 * wrong(rng, entry) for entry in x]


@forger
def an_infeasible_point_and_cones_that_cover_fewer_rows(rng, record):
    proof = any_of(rng, record)["evidence"]
    for kind in ("zero", "nonneg", "exp"):
        proof["cones"][kind] = 0
    for kind in ("soc", "psd", "power"):
        proof["cones"][kind] = []
    x = numbers(proof, "x")
    x[:] = [wrong(rng, entry) for entry in x]


@forger
def cones_of_other_sizes(rng, record):
    cones = any_of(rng, record)["evidence"]["cones"]
    kind = rng.choice(["zero", "nonneg", "exp"])
    cones[kind] += rng.choice([1, -1, 7, 10**9, 0.5, True])


@forger
def cones_of_other_kinds(rng, record):
    cones = any_of(rng, record)["evidence"]["cones"]
    if not (cones["zero"] + cones["nonneg"]):
        return False
    cones["exp"], cones["power"] = -1, [[2.0, -1.0]]
    return None


@forger
def powers_that_are_no_shares(rng, record):
    cones = any_of(rng, record)["evidence"]["cones"]
    if not cones["power"]:
        return False
    cones["power"][0][0] = rng.choice([1.5, -0.5, 0.0, {"float": "nan"}])
    return None


@forger
def a_layout_that_nobody_knows(rng, record):
    any_of(rng, record)["evidence"]["cones"]["psd_layout"] = rng.choice(["diagonal", 3, None])


@forger
def numbers_that_are_none(rng, record):
    proof = any_of(rng, record)["evidence"]
    values = numbers(proof, rng.choice(["c", "b", "x", "A", "columns"]))
    if not values:
        return False
    values[rng.randrange(len(values))] = rng.choice(
        [{"float": "nan"}, {"float": "inf"}, "1", None, True, 10**400]
    )
    return None


@forger
def bounds_that_are_none_or_crossed(rng, record):
    proof = any_of(rng, record)["evidence"]
    size = len(numbers(proof, "c"))
    for name, value in (("lower", 5.0), ("upper", rng.choice([-5.0, {"float": "nan"}]))):
        proof[name] = {"array": [value] * size, "shape": [size], "dtype": "float64"}


@forger
def entries_outside_of_the_matrix(rng, record):
    proof = any_of(rng, record)["evidence"]
    places = matrix(proof)[rng.choice(["rows", "columns"])]
    if not places:
        return False
    places[rng.randrange(len(places))] = rng.choice([-1, 10**6, 0.5, None])
    return None


@forger
def fewer_numbers(rng, record):
    proof = any_of(rng, record)["evidence"]
    values = numbers(proof, rng.choice(["c", "b", "x", "columns"]))
    if not values:
        return False
    values.pop()
    return None


@forger
def multipliers_of_nothing(rng, record):
    """Without multipliers there is no bound, unless the optimum needs none."""
    proof = any_of(rng, record)["evidence"]
    c, z = numbers(proof, "c"), numbers(proof, "z")
    if z is None or not any(abs(entry) > 1e-3 for entry in z) or not any(c) or proof["P"]:
        return False
    z[:] = [0.0] * len(z)
    return None


@forger
def another_feasible_point_with_its_value(rng, record):
    """A point that is worse, and whatever multipliers it takes, drawn by chance."""
    found = any_of(rng, record)
    proof = found["evidence"]
    x, c, z = (numbers(proof, name) for name in "xcz")
    places = [k for k, entry in enumerate(c) if abs(entry) > 1e-3]
    if not places or proof["logarithmic"] or proof["P"] or numbers(proof, "integer"):
        return False
    k = rng.choice(places)
    step = 0.5 * (1 + abs(x[k])) * (1 if c[k] > 0 else -1)
    x[k] += step
    found["value"] += step * c[k] / proof["cost"] * (-1 if proof["maximise"] else 1)
    if z is not None:
        z[:] = [entry * rng.uniform(0, 2) for entry in z]
    return None


@forger
def a_curve_that_bends_down(rng, record):
    proof = any_of(rng, record)["evidence"]
    size = len(numbers(proof, "c"))
    entries = {"rows": [0, 0], "columns": [0, size - 1], "values": [-1.0, rng.choice([-1.0, 0.0])]}
    proof["P"] = {n: {"array": v, "shape": [2], "dtype": "float64"} for n, v in entries.items()}


@forger
def a_curve_hidden_in_one_triangle(rng, record):
    proof = any_of(rng, record)["evidence"]
    size = len(numbers(proof, "c"))
    if size < 2:
        return False
    entries = {"rows": [0], "columns": [size - 1], "values": [100.0]}
    proof["P"] = {n: {"array": v, "shape": [1], "dtype": "float64"} for n, v in entries.items()}
    return None


@forger
def another_sense(rng, record):
    found = any_of(rng, record)
    if abs(found["value"]) < 1e-3:
        return False
    found["evidence"]["maximise"] = not found["evidence"]["maximise"]
    return None


@forger
def another_sense_that_is_no_answer(rng, record):
    any_of(rng, record)["evidence"][rng.choice(["maximise", "logarithmic"])] = rng.choice(
        [2, "", None]
    )


@forger
def a_held_optimum_that_nobody_found(rng, record):
    held = [found for found in record["solutions"] if found["locks"]]
    if not held:
        return False
    rng.choice(rng.choice(held)["locks"])["name"] = rng.choice(
        ["nobody", record["solutions"][-1]["name"]]
    )
    return None


@forger
def faces_called_rows(rng, record):
    """The equations of a face then count as rows; the page says that it takes them on trust."""
    held = [found for found in record["solutions"] if found["locks"]]
    if not held:
        return False
    found = rng.choice(held)
    if rng.random() < 0.5:
        found["certificate"]["basis"] = "exact"
    for lock in found["locks"]:
        lock["kind"] = "value"
    return None


@forger
def equations_that_no_owner_proves(rng, record):
    held = [f for f in record["solutions"] if f["locks"] and f["evidence"]["cones"]["nonneg"]]
    if not held:
        return False
    cones = rng.choice(held)["evidence"]["cones"]
    cones |= {"zero": cones["zero"] + 1, "nonneg": cones["nonneg"] - 1}
    return None


@forger
def nonsense_in_a_field(rng, record):
    found = any_of(rng, record)
    proof = found["evidence"]
    place, field = rng.choice(
        [(found, "value"), (found, "locks"), (found, "certificate"), (proof, "cones")]
        + [(proof, field) for field in ("c", "b", "x", "A", "cost", "offset", "columns")]
        + [(proof["cones"], field) for field in ("zero", "soc", "psd", "power")]
    )
    place[field] = rng.choice([None, "text", {"float": "x"}, [[[1]]], -1.5e-3, {"a": 1}])


@undetected
def everything_that_no_proof_needs(rng, record):
    found = any_of(rng, record)
    found |= {
        "solver": "NOBODY",
        "timings": {"solve": 1e9},
        "options": {},
        "duals": [],
        "status": "optimal",
    }
    for values in found["variables"].values():
        values["array"] = [0.0] * len(values["array"])


@undetected
def the_value_and_the_offset_together(rng, record):
    """It is another problem, and its optimum is what the file says."""
    found = any_of(rng, record)
    proof = found["evidence"]
    if proof["logarithmic"] or numbers(proof, "integer") or found["locks"]:
        return False
    if any(
        lock["name"] == found["name"] for other in record["solutions"] for lock in other["locks"]
    ):
        return False
    found["value"] += 1.0
    proof["offset"] += (-1.0 if proof["maximise"] else 1.0) * proof["cost"]
    return None


@undetected
def that_optima_are_held_at_all(rng, record):
    for found in record["solutions"]:
        found["locks"] = []


def originals(folder):
    """The records of honest files, by program."""
    records = {}
    for kind, make in PROGRAMS.items():
        path = folder / "honest.json"
        make().solve().save(path, proof=True)
        records[kind] = json.loads(path.read_text())
    return records


def verdict(page, path, record):
    """The page's exit code and what it says."""
    path.write_text(json.dumps(record))
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        return page.main([str(path)]), said.getvalue()


def attack(folder, count):
    """Forge ``count`` files, kinds and programs in turn; proved without a reserve is a failure."""
    page, tally = load_page(), Tally("forged proofs, standalone checker")
    records, path = originals(folder), folder / "forged.json"
    while tally.tried < count:
        for name, forge in FORGERS.items():
            kind = tally.rng.choice(list(records))
            record = copy.deepcopy(records[kind])
            if forge(tally.rng, record) is False:
                continue
            code, said = verdict(page, path, record)
            tally.note(code != page.PROVED, f"{name} ({kind}): {said}")
    return tally
