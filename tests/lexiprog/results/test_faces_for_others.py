"""The page without the library proves the faces that levels are held on, and notices false ones."""

import json

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.results.proved_programs import chain


def wider():
    """The same levels, each with a row more than the one before."""
    x = cp.Variable(4, bounds=[0, 10], name="x")
    rows = [x[0] + x[1] >= 4, x[2] + x[3] >= 5, x[0] + x[2] <= 6, x[1] + x[3] <= 9]
    first = lx.Subproblem("first", cp.Minimize(x[0] + x[1]), rows[:2])
    second = lx.Subproblem("second", cp.Minimize(x[2] + x[3]), [*rows[:3], first.held()])
    locks = [first.held(), second.held()]
    third = lx.Subproblem("third", cp.Maximize(x[0] + 2 * x[2]), [*rows, *locks])
    return lx.Program(*(lx.Stage(p.name, p) for p in (first, second, third)))


PROGRAMS = {"the same rows": chain, "more rows": wider}


@pytest.fixture(params=PROGRAMS)
def saved(request, tmp_path):
    """A file with its record, to be changed and looked at again."""
    path = tmp_path / "proof.json"
    result = PROGRAMS[request.param]().solve()
    assert {lock.kind for lock in result["third"].locks} == {"face"}
    result.save(path, proof=True)
    return path, json.loads(path.read_text())


def verdicts(page, path, record):
    path.write_text(json.dumps(record))
    return {name: proved for name, proved, *_ in page.check_file(path)}


def test_true_faces_are_proved(page, saved):
    assert all(verdicts(page, *saved).values())


def test_an_equation_that_no_owner_proves_is_noticed(page, saved):
    """The first of the last level's inequalities is made an equation."""
    path, record = saved
    proof = record["solutions"][-1]["evidence"]
    first, count = proof["cones"]["zero"], proof["cones"]["nonneg"]
    assert count > 0
    proof["cones"] |= {"zero": first + 1, "nonneg": count - 1}
    assert not verdicts(page, path, record)["third"]


def test_a_column_that_no_owner_fixes_is_noticed(page, saved):
    path, record = saved
    proof = record["solutions"][-1]["evidence"]
    noticed = []
    for j, x in enumerate(proof["x"]["array"]):
        kept = {end: proof[end]["array"][j] for end in ("lower", "upper")}
        if kept["lower"] == kept["upper"]:
            continue
        for end in kept:
            proof[end]["array"][j] = x
        noticed.append(not verdicts(page, path, record)["third"])
        for end, value in kept.items():
            proof[end]["array"][j] = value
    assert noticed
    assert all(noticed)


def test_multipliers_that_prove_no_face_are_noticed(page, saved):
    """Without the multipliers of the level before, nothing says that its rows are equations."""
    path, record = saved
    last = record["solutions"][-1]["evidence"]
    proofs = [last["owners"]["second"]] if last["owners"] else []
    proofs.append(record["solutions"][1]["evidence"])
    for proof in proofs:
        proof["z"]["array"] = np.zeros(len(proof["z"]["array"])).tolist()
    assert not verdicts(page, path, record)["third"]


def test_a_face_of_another_value_is_noticed(page, saved):
    """What is said of the second level must be what its proof says."""
    path, record = saved
    record["solutions"][1]["value"] += 0.5
    found = verdicts(page, path, record)
    assert found["first"]
    assert not found["second"]
    assert not found["third"]


def test_owners_survive_a_file(tmp_path):
    result = wider().solve()
    result.save(tmp_path / "proof.json", proof=True)
    again = lx.Result.load(tmp_path / "proof.json")
    assert again["third"].evidence.record().keys() == result["third"].evidence.record().keys()
    assert set(again["third"].evidence.owners) == {"first", "second"}
