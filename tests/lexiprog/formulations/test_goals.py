"""Goals one may miss: worked answers, blends against linprog, and what is refused."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def test_priorities_come_before_weights():
    x = cp.Variable(bounds=[0, 10], name="x")
    goals = [
        lx.Goal("low", x <= 2, priority=1, weight=0.001),
        lx.Goal("high", x >= 9, priority=2, weight=1000.0),
    ]
    result = lx.goal_program(goals).solve()
    assert list(result) == ["priority 1", "priority 2"]
    assert result.final[x] == near(2)
    assert [goal.miss.value for goal in goals] == [near(0), near(7)]
    assert result.final.value == near(7000)


def test_weights_decide_within_a_priority():
    x = cp.Variable(bounds=[0, 10], name="x")
    for weight, point in [(3.0, 9), (1.0, 2)]:
        goals = [lx.Goal("low", x <= 2, weight=2.0), lx.Goal("high", x >= 9, weight=weight)]
        assert lx.goal_program(goals).solve().final[x] == near(point)


def test_priorities_need_not_be_whole_or_in_order():
    x = cp.Variable(bounds=[0, 10], name="x")
    goals = [lx.Goal("high", x >= 9, priority=2.5), lx.Goal("low", x <= 2, priority=0.5)]
    result = lx.goal_program(goals).solve()
    assert list(result) == ["priority 0.5", "priority 2.5"]
    assert result.final[x] == near(2)


def test_vector_goals_add_up_their_entries():
    x = cp.Variable(3, bounds=[0, 10], name="x")
    goal = lx.Goal("each", x >= np.array([1, 5, 9]))
    result = lx.goal_program([goal], [cp.sum(x) <= 12]).solve()
    assert result.final.value == near(3)
    assert goal.miss.shape == (3,)
    assert goal.miss.value.sum() == near(3)
    worst = lx.goal_program([goal], [cp.sum(x) <= 12], blend=0.0).solve()
    assert worst.final.value == near(1)
    assert goal.miss.value == near(np.ones(3))


def test_either_side_of_an_equality_has_its_own_priority():
    """Never above 5 first; the other wish comes second; below 5 is the least of worries."""
    x = cp.Variable(bounds=[0, 10], name="x")
    wish = lx.Goal("wish", x <= 3, priority=2)
    exactly = lx.Goal("five", x == 5, over=(1, 1.0), under=(3, 1.0))
    assert lx.goal_program([exactly, wish]).solve().final[x] == near(3)
    swapped = lx.Goal("five", x == 5, over=(3, 1.0), under=(1, 1.0))
    assert lx.goal_program([swapped, wish]).solve().final[x] == near(5)


def test_a_side_of_weight_zero_is_free():
    x = cp.Variable(bounds=[0, 10], name="x")
    goals = [
        lx.Goal("at least five", x == 5, over=(1, 0.0), under=(1, 1.0)),
        lx.Goal("nine", x == 9, priority=2),
    ]
    assert lx.goal_program(goals).solve().final[x] == near(9)


def test_either_side_of_an_equality_has_its_own_weight():
    x = cp.Variable(bounds=[0, 10], name="x")
    wish = lx.Goal("ten", x >= 10, weight=2.0)
    for over, point in [(3.0, 5), (1.0, 10)]:
        exactly = lx.Goal("five", x == 5, over=(1, over), under=(1, 9.0))
        assert lx.goal_program([exactly, wish]).solve().final[x] == near(point)


def test_goals_with_curved_sides_are_goals_too():
    x = cp.Variable(2, name="x")
    goals = [
        lx.Goal("near", cp.norm(x) <= 1, priority=1), lx.Goal("far", cp.sum(x) >= 10, priority=2)
    ]  # fmt: skip
    result = lx.goal_program(goals).solve()
    assert result.final.value == near(10 - np.sqrt(2))
    assert result.final[x] == near([np.sqrt(0.5)] * 2, 1e-3)


def test_integer_goals():
    """By counting: of 3 a + 5 b <= 17 in whole numbers, 16 is the nearest to 17 with b >= 2."""
    a, b = cp.Variable(integer=True, name="a"), cp.Variable(integer=True, name="b")
    goals = [lx.Goal("b", b >= 2), lx.Goal("full", 3 * a + 5 * b >= 17, priority=2),
             lx.Goal("few", a + b <= 0, priority=3)]  # fmt: skip
    limits = [a >= 0, b >= 0, 3 * a + 5 * b <= 17]
    result = lx.goal_program(goals, limits).solve()
    options = [(i, j) for i in range(6) for j in range(4) if 3 * i + 5 * j <= 17]
    best = min((max(2 - j, 0), 17 - 3 * i - 5 * j, i + j) for i, j in options)
    assert [solution.value for solution in result.values()] == near(list(best))


def random_goals(seed):
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (5, 3)), rng.integers(-9, 10, 5), rng.integers(1, 5, 5)


def by_linprog(matrix, targets, weights, blend, levels):
    """Romero's model with deviations and the worst miss as columns, level after level.

    Columns: x (3), over (5), under (5), worst of each level.
    """
    count = len(levels)
    size = 3 + 10 + count
    equal = np.hstack([matrix, -np.eye(5), np.eye(5), np.zeros((5, count))])
    rows, rhs, values = [], [], []
    for k, members in enumerate(levels):
        for goal in members:
            for side in (3, 8):
                row = np.zeros(size)
                row[side + goal], row[13 + k] = weights[goal], -1.0
                rows.append(row)
                rhs.append(0.0)
    bounds = [(-2, 2)] * 3 + [(0, None)] * (10 + count)
    for k, members in enumerate(levels):
        cost = np.zeros(size)
        cost[13 + k] = 1.0 - blend
        for goal in members:
            cost[[3 + goal, 8 + goal]] = blend * weights[goal]
        best = linprog(cost, np.array(rows), rhs, equal, targets, bounds).fun
        values.append(best)
        rows.append(cost)
        rhs.append(best + 1e-9)
    return values


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize("blend", [1.0, 0.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_sum_worst_and_blend_agree_with_linprog(seed, blend, solver):
    matrix, targets, weights = random_goals(seed)
    x = cp.Variable(3, bounds=[-2, 2], name="x")
    levels = [(0, 1), (2, 3, 4)]
    goals = [
        lx.Goal(f"goal {k}", matrix[k] @ x == targets[k], weight=float(weights[k]),
                priority=1 if k in levels[0] else 2)
        for k in range(5)
    ]  # fmt: skip
    result = lx.goal_program(goals, blend=blend).solve(solver)
    wanted = by_linprog(matrix, targets, weights, blend, levels)
    assert [solution.value for solution in result.values()] == near(wanted)


def test_a_goal_program_can_be_inspected_and_extended():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    program = lx.goal_program([lx.Goal("sum", cp.sum(x) == 6)])
    assert [stage.name for stage in program.stages] == ["priority 1"]
    assert "priority 1" in program.describe()
    last = lx.Subproblem("even", cp.Minimize(cp.max(x)), [program["priority 1"].held()])
    assert program.extend(lx.Stage("even", last)).solve().final[x] == near([3, 3])


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ({"weight": -1.0}, "'g'.*weight.*-1"),
        ({"weight": float("inf")}, "'g'.*weight.*inf"),
        ({"weight": float("nan")}, "'g'.*weight.*nan"),
        ({"priority": float("nan")}, "'g'.*priority.*nan"),
        ({"over": 3}, r"'g'.*pairs \(priority, weight\), not 3"),
        ({"under": (1, 2, 3)}, r"'g'.*pairs.*\(1, 2, 3\)"),
        ({"over": (1, -2.0)}, "'g'.*weight.*-2"),
        ({"weight": "much"}, "'g'.*weight.*'much'"),
        ({"priority": "high"}, "'g'.*priority.*'high'"),
    ],
)
def test_a_bad_goal_is_refused_by_name(arguments, culprit):
    x = cp.Variable(name="x")
    with pytest.raises(lx.DeclarationError, match=culprit):
        lx.Goal("g", x == 1, **arguments)


def test_what_is_no_constraint_or_has_one_side_only_is_refused():
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.DeclarationError, match="'g' must be a <=, >= or == constraint"):
        lx.Goal("g", x[0])
    with pytest.raises(lx.DeclarationError, match="'g' must be a <=, >= or == constraint"):
        lx.Goal("g", cp.SOC(x[0], x))
    with pytest.raises(lx.DeclarationError, match="'g' can be missed to one side only"):
        lx.Goal("g", x[0] <= 1, over=(1, 1.0))


@pytest.mark.parametrize("blend", [-0.1, 1.1, float("nan")])
def test_a_blend_outside_of_zero_and_one_is_refused(blend):
    x = cp.Variable(name="x")
    with pytest.raises(lx.DeclarationError, match=f"blend.*{blend}"):
        lx.goal_program([lx.Goal("g", x == 1)], blend=blend)


def test_no_goals_twice_the_same_name_and_no_weight_at_all_are_refused():
    x = cp.Variable(name="x")
    goal = lx.Goal("g", x == 1)
    with pytest.raises(lx.DeclarationError, match="at least one goal"):
        lx.goal_program([])
    with pytest.raises(lx.DeclarationError, match="'g'"):
        lx.goal_program([goal, lx.Goal("g", x == 2)])
    with pytest.raises(lx.DeclarationError, match="weight 0"):
        lx.goal_program([lx.Goal("g", x == 1, weight=0.0)])
    with pytest.raises(lx.DeclarationError, match="goal"):
        lx.goal_program([x == 1])


def test_a_goal_draws_by_how_much_each_side_of_it_is_missed():
    x = cp.Variable(2, nonneg=True, name="x")
    hours = lx.Goal("hours", x[0] + x[1] == 60, over=(1, 1.0), under=(2, 3.0))
    units = lx.Goal("units", x >= 35, priority=3)
    assert "not solved yet" in hours._repr_html_()
    lx.goal_program([hours, units], [cp.sum(x) <= 50]).solve()
    rows = [[cell.text for cell in row] for row in hours.summary.rows]
    assert [row[1:] for row in rows] == [["1", "1", "met"], ["2", "3", "10"]]
    assert [row[0][-7:] for row in rows] == [" (over)", "(under)"]
    assert [row[3].text for row in units.summary.rows] == ["20"]
    assert "lx-bad" in units._repr_html_()
