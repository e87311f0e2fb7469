"""A page of Python without the library checks saved certificates from their numbers alone."""

import json
import pickle
import shutil
import subprocess
import sys
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import Mischief
from tests.lexiprog.results.proved_programs import EXACT, PROGRAMS, compromise, single, transport


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_page_proves_what_was_certified(page, tmp_path, kind):
    result = PROGRAMS[kind]().solve()
    result.save(tmp_path / "proof.json", proof=True)
    verdicts = page.check_file(tmp_path / "proof.json")
    assert [name for name, *_ in verdicts] == list(result)
    for name, proved, text, _ in verdicts:
        assert proved, text
        assert f"{result[name].value:.10g}" in text
        if kind == "integer":
            assert "the solver's word for its bound" in text
        elif kind in EXACT:
            assert "exact rationals" in text
        if kind == "a chain on faces" and name == "third":
            assert "on the optimal face of first, second" in text
            assert result[name].value == pytest.approx(11)
        if kind == "a curved chain on faces" and name == "other":
            assert "on the optimal face of right, low" in text
            assert result[name].value == pytest.approx(4, abs=1e-6)
        if kind == "a chain of matrices on faces" and name == "other":
            assert "on the optimal face of along" in text
            assert result[name].value == pytest.approx(-1 / 3, abs=1e-5)


def spoiled(proof, what):
    """The proof with one of its numbers changed a little."""
    proof = json.loads(json.dumps(proof))
    part, place, change = what
    inner = proof[part]["values"] if part == "A" else proof[part]
    number = inner["array"][place]
    inner["array"][place] = number * (1 + change) + change
    return proof


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (kind, part)
        for kind in PROGRAMS
        for part in ("x", "z", "c", "b", "A")
        if kind != "several kinds" and (kind, part) != ("integer", "z")
    ],
)
def test_the_page_notices_a_number_that_was_changed(page, tmp_path, kind, part):
    """Any one number, wherever it matters: among all places of a part, some change the verdict."""
    path = tmp_path / "proof.json"
    PROGRAMS[kind]().solve().save(path, proof=True)
    record = json.loads(path.read_text())
    proof = record["solutions"][-1]["evidence"]
    size = len((proof[part]["values"] if part == "A" else proof[part])["array"])
    noticed = []
    for place in range(size):
        for change in (0.1, -0.1):
            record["solutions"][-1]["evidence"] = spoiled(proof, (part, place, change))
            path.write_text(json.dumps(record))
            noticed.append(not page.check_file(path)[-1][1])
    assert any(noticed)
    if part == "z" and kind == "linear":
        assert np.mean(noticed) > 0.5


def test_a_wrong_point_that_is_feasible_is_not_proved(page, tmp_path):
    path = tmp_path / "proof.json"
    x = cp.Variable(2, bounds=[0, 10], name="x")
    single(cp.Minimize(x[0] + x[1]), x[0] >= 1).solve().save(path, proof=True)
    record = json.loads(path.read_text())
    found = record["solutions"][0]
    assert page.check_file(path)[0][1]
    found["evidence"]["x"]["array"][1] += 1.0
    found["value"] += 1.0
    path.write_text(json.dumps(record))
    ((_, proved, text, _),) = page.check_file(path)
    assert not proved
    assert "is NOT proved: " in text
    assert "gap 5.0e-01 (up to 1e-06)" in text  # 2 for 1, over 2


def small(**changes):
    """Least x + 3y over x + 2y >= 4 and x, y >= 0: it is 4, by the multiplier 1."""
    cones = {"zero": 0, "nonneg": 1, "soc": [], "psd": [], "exp": 0, "power": []}
    cones["psd_layout"] = "upper"
    return {
        "P": None, "c": [1, 3], "b": [-4], "offset": 0, "x": [4, 0], "z": [0.75], "integer": None,
        "A": {"rows": [0, 0], "columns": [0, 1], "values": [-1, -2]},
        "lower": [0, 0], "upper": None, "cones": cones,
    } | changes  # fmt: skip


def test_the_bound_is_the_one_worked_by_hand(page):
    """The multiplier 3/4 gives 3, with reduced costs 1/4 and 3/2; x = 4 is charged 1/4 * 4."""
    found = page.measure(small())
    assert (found.value, found.bound) == (4, 3)
    assert found.reduced == [Fraction(1, 4), Fraction(3, 2)]
    # Charged: 1/4 * 4 for the column. Terms: 1 * 4 of the objective and 4 * 3/4 of the dual.
    nothing = {"rows": 0, "columns": 0, "cones": 0, "effect": 0}
    assert found.misses == nothing | {"slackness": Fraction(1, 7)}
    # A multiplier of the wrong sign counts for nothing.
    assert page.measure(small(z=[-5.0])).bound == 0
    # One unit short of the row, of 3 + 4.
    assert page.measure(small(x=[3, 0])).misses["rows"] == Fraction(1, 7)


def test_multipliers_are_corrected_where_a_column_is_free(page):
    """With x free its reduced cost must vanish: the multiplier becomes 1, the bound 4."""
    half_free = small(lower=[-np.inf, 0], z=[1 - 2.0**-40])
    found = page.measure(half_free)
    assert (found.z, found.reduced, found.bound) == ([1], [0, 1], 4)
    # Both free: no multiplier does it, however near: it is unbounded by 2**-60 for each unit.
    both = small(lower=None, c=[1, 2 + 2.0**-51], z=[1])
    found = page.measure(both)
    assert found.bound == -np.inf
    assert 0 < found.misses["columns"] < 2.0**-50


@pytest.mark.parametrize("kind", [k for k in PROGRAMS if k not in ("integer", "geometric")])
def test_units_make_no_difference_to_the_page(page, tmp_path, kind):
    """Linear rows and columns times any powers of two: the same measures and interval."""
    path = tmp_path / "proof.json"
    PROGRAMS[kind]().solve().save(path, proof=True)
    proof = page.plain(json.loads(path.read_text()))["solutions"][0]["evidence"]
    rng = np.random.default_rng(1)
    linear = proof["cones"]["zero"] + proof["cones"]["nonneg"]
    rows = 2.0 ** rng.integers(-40, 40, len(proof["b"]))
    rows[linear:] = 1.0
    columns, cost = 2.0 ** rng.integers(-40, 40, len(proof["c"])), 2.0**30
    other = json.loads(json.dumps(proof))
    A, P = other["A"], other["P"]
    A["values"] = (A["values"] * rows[A["rows"]] * columns[A["columns"]]).tolist()
    if P:
        both = columns[P["rows"]] * columns[P["columns"]]
        P["values"] = (P["values"] * both * cost).tolist()
    other["b"] = (other["b"] * rows).tolist()
    other["c"] = (other["c"] * columns * cost).tolist()
    other["x"] = (other["x"] / columns).tolist()
    other["z"] = (other["z"] / rows * cost).tolist()
    other["offset"] *= cost
    for end in ("lower", "upper"):
        other[end] = None if other[end] is None else (other[end] / columns).tolist()
    mine, its = page.measure(proof), page.measure(other)
    assert float(its.value / mine.value) == pytest.approx(cost, rel=1e-12)
    assert float(its.bound / mine.bound) == pytest.approx(cost, rel=1e-9)
    for name, miss in mine.misses.items():
        if name != "effect":
            assert float(its.misses[name]) == pytest.approx(float(miss), rel=0.05, abs=1e-9)


@pytest.mark.parametrize("leftover", [0.1 + 0.2 - 0.3, 1e-11])
def test_a_leftover_of_rounding_does_not_hide_a_wrong_point(page, leftover):
    """A column with a coefficient of 1e-17: a row that is missed by 1 of 4 is missed."""
    A = {"rows": [0, 0, 0], "columns": [0, 1, 2], "values": [-1, -2, leftover]}
    found = page.measure(small(A=A, c=[1, 3, 0], x=[3, 0, 0], lower=[0, 0, 0], z=[1]))
    assert found.misses["rows"] == Fraction(1, 7)


def test_the_page_needs_nothing_but_python_for_linear_problems(page, tmp_path):
    path, alone = tmp_path / "proof.json", tmp_path / "page.py"
    transport().solve().save(path, proof=True)
    shutil.copy(page.__file__, alone)
    # -I -S: neither this folder nor installed packages can be imported.
    script = [sys.executable, "-I", "-S", alone, path]
    found = subprocess.run(script, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    assert "exact rationals" in found.stdout
    record = json.loads(path.read_text())
    record["solutions"][0]["evidence"]["x"]["array"][0] += 1.0
    path.write_text(json.dumps(record))
    spoilt = subprocess.run(script, capture_output=True, text=True)
    assert spoilt.returncode == 1
    assert "NOT proved" in spoilt.stdout


def test_without_proof_the_file_has_none_and_the_page_says_so(page, tmp_path):
    path = tmp_path / "plain.json"
    transport().solve().save(path)
    assert "evidence" not in json.loads(path.read_text())["solutions"][0]
    with pytest.raises(page.Unreadable, match="proof=True"):
        page.check_file(path)
    assert page.main([str(path)]) == page.UNREADABLE


def test_evidence_survives_a_file_with_proofs_but_no_pickle(page, tmp_path):
    program = compromise()
    result = program.solve()
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    result.save(first, proof=True)
    loaded = lx.Result.load(first, program)
    loaded.save(second, proof=True)
    for name in result:
        mine, its = result[name].evidence, loaded[name].evidence
        np.testing.assert_array_equal(mine.x, its.x)
        np.testing.assert_array_equal(mine.form.A.toarray(), its.form.A.toarray())
        assert mine.form.cones == its.form.cones
    with pytest.raises(lx.LexiprogError, match=r"'cost'.*solve again"):
        pickle.loads(pickle.dumps(result)).save(second, proof=True)
    resumed = compromise().solve(resume=lx.Result.load(first))
    resumed.save(second, proof=True)
    assert page.check_file(second) == page.check_file(first)


def test_a_custom_solver_s_point_is_proved_by_our_own_multipliers(page, tmp_path):
    result = transport().solve(Mischief(None, at=100))
    result.save(tmp_path / "proof.json", proof=True)
    ((_, proved, text, _),) = page.check_file(tmp_path / "proof.json")
    assert proved, text


@pytest.mark.parametrize("rtol", [0.0, 0.1])
def test_a_chain_in_rational_numbers_is_proved_with_its_locks_as_rows(page, tmp_path, rtol):
    pytest.importorskip("flint")
    program = compromise(rtol)
    result = program.solve("EXACT")
    assert result["fumes"].exact == (32 if rtol == 0 else Fraction(132, 5))
    result.save(tmp_path / "proof.json", proof=True)
    for _, proved, text, _ in page.check_file(tmp_path / "proof.json"):
        assert proved, text
        assert "face" not in text
    loaded = lx.Result.load(tmp_path / "proof.json", program)
    for name, solution in result.items():
        assert loaded[name].exact == solution.exact
        for key, value in solution.exact_variables.items():
            np.testing.assert_array_equal(loaded[name].exact_variables[key], value)


def test_results_of_one_program_share_the_matrix_of_their_evidence():
    x, t = cp.Variable(3, name="x"), cp.Parameter(3, name="t")
    program = single(cp.Minimize(cp.sum(x)), x >= t)
    forms = []
    for t.value in ([1, 2, 3], [1, 2, 4]):
        forms.append(program.solve()["p"].evidence.form)
    assert forms[0].A is forms[1].A
    assert forms[0].b.tolist() != forms[1].b.tolist()
