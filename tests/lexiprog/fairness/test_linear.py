"""Fair problems inside programs: held, referred to, saved, resumed, and failing in words."""

import pickle

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def near(wanted, size=1e-9):
    return pytest.approx(wanted, abs=size, rel=size)


def shared():
    """Nine units for three, of whom the second can use one only."""
    x = cp.Variable(3, bounds=[0, 6], name="x")
    return x, [cp.sum(x) <= 9, x[1] <= 1]


def people(x):
    return {"ann": x[0], "bob": x[1], "cid": 2 * x[2]}


WANTED = ((1.0, ("bob",)), (16 / 3, ("ann", "cid")))


@pytest.mark.parametrize("solver", [None, "HIGHS", "CLARABEL", "ECOS", "EXACT"])
def test_any_solver_finds_the_levels(solver):
    x, limits = shared()
    found = lx.leximin(people(x), limits).solve(solver).final
    assert found.status == "optimal"
    assert [names for _, names in found.levels] == [names for _, names in WANTED]
    assert [value for value, _ in found.levels] == near([value for value, _ in WANTED], 1e-8)
    assert found.value == found.levels[0][0]
    assert found[x] == near([16 / 3, 1, 8 / 3], 1e-7)
    assert found.bound == near(1, 1e-7)


def test_the_first_level_has_the_multipliers_and_the_reference():
    x, limits = shared()
    program = lx.leximin(people(x), limits)
    fair = program["leximin"]
    above = lx.Subproblem("above", cp.Minimize(cp.sum(x)), [*limits, x[0] >= fair.optimum + 1])
    result = program.extend(lx.Stage("above", above)).solve()
    assert result["leximin"].dual(limits[1]) == near(1)
    assert result["leximin"].dual(limits[0]) == near(0)
    assert result["above"].value == near(2, 1e-7)


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
def test_held_levels_leave_later_objectives_only_what_nobody_loses(solver):
    x = cp.Variable(4, bounds=[0, 6], name="x")
    limits = [cp.sum(x) <= 9, x[1] <= 1]
    levels = {
        "fair": lx.Leximin({"a": x[0], "b": x[1]}), "third": cp.Maximize(x[2]),
        "fourth": cp.Maximize(x[3]),
    }  # fmt: skip
    result = lx.preemptive(levels, limits).solve(solver)
    assert [s.status for s in result.values()] == ["optimal"] * 3
    assert result.final[x] == near([6, 1, 2, 0], 1e-6)
    assert result["third"].price("fair") == near(2, 1e-5)
    assert result.final.locks[0].drift <= 1e-7


def test_integers_keep_the_order_and_may_change_places():
    """Seven for three: (2, 2, 3) in any order, so that the last may have three."""
    x = cp.Variable(3, integer=True, bounds=[0, 9], name="x")
    levels = {"fair": lx.Leximin(x), "last": cp.Maximize(x[2]), "first": cp.Maximize(x[0])}
    result = lx.preemptive(levels, [cp.sum(x) <= 7]).solve()
    assert [value for value, _ in result["fair"].levels] == [2, 3]
    assert result["last"][x].tolist() == [2, 2, 3]
    reverse = dict(reversed(levels.items()))
    other = lx.preemptive({"fair": levels["fair"], **reverse}, [cp.sum(x) <= 7]).solve()
    assert np.sort(other.final[x]).tolist() == [2, 2, 3]
    assert other["first"][x].tolist() == [3, 2, 2]


def test_levels_are_saved_pickled_and_resumed(tmp_path):
    x, limits = shared()
    program = lx.preemptive({"fair": lx.Leximin(people(x)), "few": cp.Minimize(x[0])}, limits)
    result = program.solve()
    result.save(tmp_path / "found.json", proof=True)
    loaded = lx.Result.load(tmp_path / "found.json", program=program)
    for other in (loaded, pickle.loads(pickle.dumps(result)), program.solve(resume=loaded)):
        assert other["fair"].levels == result["fair"].levels
    other = lx.preemptive({"fair": lx.Leximin([x[0], x[2]]), "few": cp.Minimize(x[0])}, limits)
    with pytest.raises(ValueError, match="'fair' does not fit this program: its objective"):
        lx.Result.load(tmp_path / "found.json", program=other)


def test_parameters_change_and_levels_follow():
    x = cp.Variable(2, nonneg=True, name="x")
    estate = cp.Parameter(nonneg=True, name="estate")
    program = lx.leximin([x[0], x[1]], [cp.sum(x) <= estate, x[0] <= 2])
    for value, wanted in ((2, (1, 1)), (10, (2, 8))):
        estate.value = value
        assert program.solve().final[x] == near(wanted)


def test_levels_are_shown():
    x, limits = shared()
    result = lx.leximin(people(x), limits).solve()
    for text in (str(result), str(result.final), result._repr_html_(), result.final._repr_html_()):
        assert "bob" in text
        assert "5.33333" in text
        assert "ann, cid" in text


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
def test_progress_counts_who_is_settled(solver, capsys):
    pytest.importorskip("tqdm")
    x, limits = shared()
    lx.leximin(people(x), limits).solve(solver, progress=True)
    shown = capsys.readouterr().err
    assert "leximin: 1 of 3 settled, level 1" in shown
    assert "leximin: 3 of 3 settled, level 5.33333" in shown


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
def test_whoever_can_rise_without_limit_is_named(solver):
    x = cp.Variable(2, nonneg=True, name="x")
    with pytest.raises(lx.StageError, match="bob") as caught:
        lx.leximin({"ann": x[0], "bob": x[1]}, [x[0] <= 1]).solve(solver)
    assert caught.value.status.is_unbounded
    assert "ann" not in str(caught.value)


def test_tolerances_on_levels_move_all_of_them_in_tables_and_whole_curves():
    x = cp.Variable(3, bounds=[0, 6], name="x")
    levels = {"fair": lx.Leximin([x[0], x[1]]), "rest": cp.Maximize(x[2])}
    program = lx.preemptive(levels, [cp.sum(x) <= 9, x[1] <= 1])
    table = lx.tradeoff(program, "fair", [0, 0.1, 0.5])
    assert table.values["rest"] == near((2, 2.2, 3), 1e-7)
    curve = lx.tradeoff(program, "fair")  # 9 less both shares, up to 6 at most
    assert curve.tolerances == near((0, 1, 3), 1e-7)
    assert curve.values["rest"] == near((2, 4, 6), 1e-7)
    for tolerance, value in zip(table.tolerances, table.values["rest"], strict=True):
        assert curve.at(tolerance)["rest"] == near(value, 1e-7)


@pytest.mark.parametrize("seed", [1060, 1140, 1255])
def test_levels_that_hang_on_the_last_digits_are_called_so(seed):
    """A billionth more for the worst off costs others several units: true, but beyond floats."""
    rng = np.random.default_rng(seed)
    columns, rows, count = rng.integers(2, 7), rng.integers(1, 6), rng.integers(2, 8)
    powers = 2.0 ** rng.integers(-20, 21, columns) if seed == 1060 or seed == 1255 else 1.0
    tens = 10.0 ** rng.integers(-5, 6, rows) if seed in (1060, 1140) else np.ones(rows)
    matrix = rng.integers(-2, 5, (rows, columns)) * powers * tens[:, None]
    sides = rng.integers(1, 12, rows) * tens
    worth = rng.integers(-2, 4, (count, columns)) * powers
    worth = worth + rng.normal(size=worth.shape) * 1e-9 * powers
    offsets = rng.integers(-3, 4, count) * (1e6 if seed == 1140 else 1.0)
    x = cp.Variable(columns, bounds=[np.zeros(columns), np.full(columns, 5.0) / powers], name="x")
    program = lx.leximin([worth[k] @ x + offsets[k] for k in range(count)], [matrix @ x <= sides])
    with pytest.warns(lx.LexiprogWarning, match="digits that floats don't have"):
        found = program.solve("HIGHS").final
    assert found.status == "optimal_inaccurate"
    exact = program.solve("EXACT").final
    assert exact.status == "optimal"
    assert abs(found.value - exact.value) <= 1e-7 * (1 + abs(exact.value))


def test_a_geometric_program_has_no_levels():
    x = cp.Variable(2, pos=True, name="x")
    with pytest.raises(lx.DeclarationError, match="take logarithms"):
        lx.Subproblem("fair", lx.Leximin([x[0], x[1]]), [x[0] * x[1] <= 4], gp=True)
