"""Only a program's own result is resumed or connected: data, parameters and references agree."""

import json
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import FAILURES, Mischief


def production(demand=5.0, price=2.0, top=100.0, atol=0.0):
    x = cp.Variable(2, name="x", bounds=[0, top])
    levels = {"cost": cp.Minimize(x[0] + price * x[1]), "first": cp.Maximize(x[0])}
    return lx.preemptive(levels, [cp.sum(x) >= demand], atol={"cost": atol})


def connected_ways(result, path, program):
    """Every way by which a result may enter a program."""
    result.save(path)
    return [
        lambda: lx.Result.load(path, program),
        lambda: program.solve(resume=lx.Result.load(path)),
        lambda: program.solve(resume=result),
        lambda: program.adopt(result),
    ]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"demand": 50.0}, r"'cost'.*constraint 1, 50 <= sum\(x\), is another"),
        ({"price": 3.0}, r"'cost'.*its objective"),
        ({"top": 90.0}, r"'cost'.*attributes or bounds"),
        ({"atol": 0.5}, r"'first'.*another value of cost\.held"),
    ],
)
def test_another_number_is_refused_by_name_whichever_way_the_result_comes(tmp_path, changed, words):
    result, other = production().solve(), production(**changed)
    for strategy in connected_ways(result, tmp_path / "old.json", other):
        with pytest.raises(lx.LexiprogError, match=words):
            strategy()
    for strategy in connected_ways(result, tmp_path / "old.json", production()):
        assert [s.value for s in strategy().values()] == [s.value for s in result.values()]


def test_what_was_refused_leaves_the_program_as_it_was():
    program = production(50.0)
    with pytest.raises(lx.LexiprogError):
        program.solve(resume=production(5.0).solve())
    assert [s.value for s in program.solve().values()] == pytest.approx([50, 50])


def test_an_earlier_solution_of_another_run_is_refused_where_it_is_used(tmp_path):
    """Two results of one program for two parameter values cannot be mixed."""

    def make():
        x, y, t = (cp.Variable(name="x"), cp.Variable(name="y"), cp.Parameter(name="t"))
        low = lx.Subproblem("low", cp.Minimize(x), [x >= t])
        next_one = lx.Subproblem("next", cp.Minimize(y), [y >= low.optimum + low.at(x)])
        return t, lx.Program(lx.Stage("one", low), lx.Stage("two", next_one))

    t, program = make()
    t.value = 1.0
    one = program.solve()
    t.value = 2.0
    two = program.solve()
    mixed = lx.Result(two.stages, {"low": two["low"], "next": one["next"]})
    with pytest.raises(lx.LexiprogError, match=r"'next'.*another value of low\.optimum"):
        program.solve(resume=mixed)
    assert program.solve(resume=two)["next"].value == pytest.approx(4)


def test_a_result_with_other_tolerances_than_declared_is_refused():
    program = production()
    loosened = lx.tradeoff(program, "cost", [0.5]).results[0]
    with pytest.raises(lx.LexiprogError, match=r"'first'.*cost\.held"):
        program.solve(resume=loosened)


def test_a_lock_that_was_loosened_by_a_guard_is_taken_as_it_was_recorded():
    program = production()
    result = program.solve()
    first = result["first"]
    (lock,) = first.locks
    guarded = replace(
        first,
        locks=(replace(lock, guard=1e-6, limit=lock.limit + 1e-6),),
        references={"cost.held": first.references["cost.held"] + 1e-6},
    )
    resumed = program.solve(resume=lx.Result(result.stages, {**result, "first": guarded}))
    assert resumed["first"].references["cost.held"] == guarded.references["cost.held"]
    without = replace(guarded, locks=first.locks)
    with pytest.raises(lx.LexiprogError, match=r"cost\.held"):
        program.solve(resume=lx.Result(result.stages, {**result, "first": without}))


def test_rounding_of_another_machine_is_no_reason_to_refuse():
    x, y = cp.Variable(2, name="x"), cp.Variable(name="y")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x >= [1 / 3, 1 / 7]])
    last = lx.Subproblem("last", cp.Minimize(y), [y >= low.at(cp.sum(x))])
    program = lx.Program(lx.Stage("one", low), lx.Stage("two", last))
    result = program.solve()
    (label,) = result["last"].references
    value = result["last"].references[label]
    for factor, refused in [(1 + 1e-15, False), (1 + 1e-6, True)]:
        other = replace(result["last"], references={label: value * factor})
        mixed = lx.Result(result.stages, {**result, "last": other})
        if refused:
            with pytest.raises(lx.LexiprogError, match="another value"):
                program.solve(resume=mixed)
        else:
            assert program.solve(resume=mixed)["last"].value == result["last"].value


def as_version_1(path):
    """Rewrite a file as 0.1.0 wrote it."""
    record = json.loads(path.read_text())
    record["format"] = "lexiprog result 1"
    del record["checksum"]
    for solution in record["solutions"]:
        del solution["digest"], solution["bound"]
        certificate = solution["certificate"]
        for name in ("slackness", "row_tolerance", "interval"):
            del certificate[name]
        for new, old in (("rows", "primal"), ("columns", "dual"), ("cones", "cone")):
            certificate[old] = certificate.pop(new)
        certificate["radius"] = None
    path.write_text(json.dumps(record))


def test_a_file_without_digests_can_be_read_but_not_connected(tmp_path):
    path, program = tmp_path / "old.json", production()
    result = program.solve()
    result.save(path)
    as_version_1(path)
    old = lx.Result.load(path)
    assert [s.value for s in old.values()] == [s.value for s in result.values()]
    np.testing.assert_array_equal(old["first"]["x"], result["first"]["x"])
    for name, solution in result.items():
        assert old[name].certificate.rows == solution.certificate.rows
        assert old[name].certificate.interval is None
    for strategy in (lambda: lx.Result.load(path, program), lambda: program.solve(resume=old)):
        with pytest.raises(lx.LexiprogError, match=r"'cost'.*no trace.*0\.1.*solve again"):
            strategy()


def power_plant(fuel=3.0):
    a, b = cp.Variable(pos=True, name="a"), cp.Variable(pos=True, name="b")
    least = lx.Subproblem("least", cp.Minimize(fuel * a + b), [a * b >= 1], gp=True)
    last = lx.Subproblem("last", cp.Minimize(b), [a * b >= 1, least.held(rtol=0.1)], gp=True)
    return lx.Program(lx.Stage("one", least), lx.Stage("two", last))


def test_geometric_programs_and_custom_solvers_are_resumed_and_refused_alike(tmp_path):
    counted = Mischief(None, at=100)
    for make, solver, other in [(power_plant, None, 4.0), (production, counted, 50.0)]:
        result = make().solve(solver)
        result.save(tmp_path / "result.json")
        again = make()
        crash = Mischief(FAILURES["crash"], at=1)  # nothing is left to solve
        resumed = again.solve(crash, resume=lx.Result.load(tmp_path / "result.json", again))
        assert [s.value for s in resumed.values()] == [s.value for s in result.values()]
        with pytest.raises(lx.LexiprogError, match="is another"):
            make(other).solve(resume=result)
    assert counted.calls == 2
