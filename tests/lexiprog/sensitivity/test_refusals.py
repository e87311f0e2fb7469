"""Where there is no derivative, and what is said instead; and what needs no solver to know."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.sensitivity import local


def kink():
    """The larger of two limits, where both are the same."""
    x, low = cp.Variable(name="x"), cp.Parameter(name="low", value=1.0)
    return lx.preemptive({"least": cp.Minimize(x)}, [x >= low, x >= 1]), low


def tie():
    """Two equally cheap ways, of which one becomes dearer."""
    x, cost = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="cost", value=1.0)
    return lx.preemptive({"least": cp.Minimize(cost * x[0] + x[1])}, [cp.sum(x) >= 1]), cost


def test_an_optimum_with_a_kink_is_refused_with_the_reason():
    program, low = kink()
    with pytest.raises(lx.LexiprogError, match=r"'low'.*multipliers are not unique.*kink"):
        program.solve().gradient(low, of="least")


def test_a_tie_that_a_cost_would_break_is_refused_with_the_reason():
    program, cost = tie()
    with pytest.raises(lx.LexiprogError, match="solution is not unique"):
        program.solve().gradient(cost, of="least")


def test_ties_and_spare_multipliers_that_do_not_matter_are_no_reason_to_refuse():
    x, total = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="total", value=3.0)
    program = lx.preemptive(
        {"least": cp.Minimize(2 * cp.sum(x))}, [cp.sum(x) >= total, 2 * cp.sum(x) >= 2 * total]
    )
    assert program.solve().gradient(total, of="least") == pytest.approx(2.0)


def test_a_point_that_is_not_unique_cannot_be_followed():
    x, y = cp.Variable(2, nonneg=True, name="x"), cp.Variable(2, name="y")
    total = cp.Parameter(name="total", value=3.0)
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), [cp.sum(x) >= total])
    near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(y - first.at(x)) + y[0]))
    whole = lx.Subproblem("whole", cp.Minimize(cp.square(y[0] - first.at(cp.sum(x))) + y[0]))
    with pytest.warns(lx.LexiprogWarning, match=r"reads first\.at\(x\), which is not unique"):
        result = lx.Program(lx.Stage("one", first), lx.Stage("two", near, whole)).solve()
    with pytest.raises(lx.LexiprogError, match=r"first\.at\(x\) is not unique"):
        result.gradient(total, of="near")
    assert result.gradient(total, of="whole") == pytest.approx(1.0)  # but its sum is


def test_a_constraint_at_the_point_of_coming_loose_is_refused():
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    aim = cp.Parameter(name="aim", value=0.0)
    first = lx.Subproblem("first", cp.Minimize(cp.square(x - aim)), [x >= 0])
    then = lx.Subproblem("then", cp.Minimize(cp.square(y - first.at(x)) + y))
    result = lx.Program(lx.Stage("one", first), lx.Stage("two", then)).solve()
    with pytest.raises(lx.LexiprogError, match="one side only"):
        result.gradient(aim, of="then")
    assert result.gradient(aim, of="first") == pytest.approx(0.0, abs=1e-6)


def test_integers_are_refused_only_if_they_are_on_the_way():
    take, x = cp.Variable(3, boolean=True, name="take"), cp.Variable(name="x")
    room, least = cp.Parameter(name="room", value=5.0), cp.Parameter(name="least", value=1.0)
    best = lx.Subproblem("best", cp.Maximize(take @ [1, 2, 3]), [take @ [2, 3, 4] <= room])
    then = lx.Subproblem("then", cp.Minimize(x), [x >= least * 2, x >= best.optimum - 9])
    result = lx.Program(lx.Stage("one", best), lx.Stage("two", then)).solve()
    with pytest.raises(lx.LexiprogError, match="integer"):
        result.gradient(room, of="then")
    assert result.gradient(least, of="then") == pytest.approx(2.0)


def test_geometric_programs_and_data_that_is_no_affine_part_are_followed():
    x, amount = cp.Variable(pos=True, name="x"), cp.Parameter(pos=True, name="amount", value=2.0)
    gp = lx.Subproblem("gp", cp.Minimize(amount**2 * x + 3 / x), gp=True)
    assert lx.Program(lx.Stage("only", gp)).solve().gradient(amount, of="gp") == pytest.approx(
        2 * np.sqrt(3.0),
        rel=1e-6,  # the optimum is 2 sqrt(3 amount^2)
    )
    y, p = cp.Variable(name="y"), cp.Parameter(nonneg=True, name="p", value=3.0)
    with pytest.warns(lx.LexiprogWarning, match="DPP"):
        odd = lx.Subproblem("odd", cp.Minimize(y), [y >= p * p])
    assert lx.Program(lx.Stage("only", odd)).solve().gradient(p, of="odd") == pytest.approx(6.0)


def test_tensors_and_differences_agree(monkeypatch):
    rng = np.random.default_rng(2)
    x = cp.Variable(4, bounds=[0, 1], name="x")
    rows = cp.Parameter((2, 4), name="rows", value=rng.uniform(1, 2, (2, 4)))
    cost = cp.Parameter(4, name="cost", value=rng.uniform(1, 2, 4))
    program = lx.preemptive({"least": cp.Minimize(cost @ x)}, [rows @ x >= 3])
    result = program.solve()
    for parameter in program["least"].parameters:
        fast = result.gradient(parameter, of="least")
        with monkeypatch.context() as patch:
            patch.setattr(local, "tensor_slopes", lambda *_: None)
            assert result.gradient(parameter, of="least") == pytest.approx(fast, abs=1e-9)
        assert np.any(fast)


def test_a_program_that_does_not_read_the_parameter_has_a_slope_of_zero():
    program, low = kink()
    x, other = cp.Variable(name="x"), cp.Parameter(3, name="other", value=np.ones(3))
    apart = lx.Subproblem("apart", cp.Minimize(x), [x >= other[0]])
    both = program.extend(lx.Stage("apart", apart))
    result = both.solve()
    assert result.gradient(other, of="least").tolist() == [0, 0, 0]
    assert result.gradient(other, of="apart").tolist() == pytest.approx([1, 0, 0])
    with pytest.raises(lx.DeclarationError, match="no parameter of this program"):
        result.gradient(cp.Parameter(name="stranger"), of="least")
    with pytest.raises(KeyError, match="no solution named 'nobody'"):
        result.gradient(low, of="nobody")


def test_loaded_results_say_what_they_need_and_work_with_the_program(tmp_path):
    x, low = cp.Variable(name="x"), cp.Parameter(name="low", value=1.0)
    program = lx.preemptive({"least": cp.Minimize(3 * x)}, [x >= low])
    path = tmp_path / "result.json"
    result = program.solve()
    result.save(path)
    with pytest.raises(lx.LexiprogError, match="program="):
        lx.Result.load(path).gradient(low, of="least")
    again = lx.Result.load(path, program)
    low.value = 5.0  # the recorded values count
    assert again.gradient(low, of="least") == pytest.approx(3.0)
    assert result.gradient(low, of="least") == pytest.approx(3.0)
    assert low.value == 5.0


def test_semidefinite_optima_have_gradients():
    X = cp.Variable((2, 2), symmetric=True, name="X")
    C = cp.Parameter((2, 2), name="C", value=np.array([[2.0, 0.5], [0.5, 1.0]]))
    program = lx.preemptive({"least": cp.Minimize(cp.trace(C @ X))}, [X >> 0, cp.trace(X) == 1])
    found = program.solve().gradient(C, of="least")
    _, axes = np.linalg.eigh(C.value)  # the optimum is the least eigenvalue
    assert found == pytest.approx(np.outer(axes[:, 0], axes[:, 0]), abs=1e-5)


def test_parameters_may_stand_in_bounds():
    low = cp.Parameter(2, name="low", value=np.array([1.0, 2.0]))
    x = cp.Variable(2, bounds=[low, 9], name="x")
    program = lx.preemptive({"least": cp.Minimize(x[0] + 3 * x[1])}, [x[0] >= 0])
    assert program.solve().gradient(low, of="least").tolist() == pytest.approx([1, 3])
