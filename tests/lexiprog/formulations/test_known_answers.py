"""Published instances with published (or exactly recomputed) answers, one call each."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

LINEAR_SOLVERS = ("HIGHS", "CLARABEL")
CLOSE = {"abs": 1e-6, "rel": 1e-6}

linear = pytest.mark.parametrize("solver", LINEAR_SOLVERS)


def is_near(found, wanted):
    assert np.asarray(found, float) == pytest.approx(np.asarray(wanted, float), **CLOSE)


def plane(**attributes):
    return (cp.Variable(name="x", nonneg=True, **attributes),
            cp.Variable(name="y", nonneg=True, **attributes))  # fmt: skip


# HiGHS, examples/multiple_objective.py and check/TestMultiObjective.cpp.
def highs_example(offset=0.0, integer=False, **tolerances):
    x, y = plane(integer=integer)
    limits = [3 * x + y <= 18, x + y <= 8, x + 2 * y <= 14]
    objectives = {"first": cp.Maximize(x + y + offset), "second": cp.Minimize(x)}
    return lx.preemptive(objectives, limits, **tolerances), x, y


@linear
@pytest.mark.parametrize(
    ("settings", "point"),
    [
        ({}, (2, 6)),
        ({"atol": 0.5}, (1, 6.5)),
        ({"atol": {"first": 0.5}}, (1, 6.5)),
        ({"rtol": 0.05}, (1.2, 6.4)),
        ({"rtol": 0.05, "offset": -1.0}, (1.3, 6.35)),
    ],
)
def test_highs_example(settings, point, solver):
    program, x, y = highs_example(**settings)
    result = program.solve(solver)
    is_near([result.final[x], result.final[y]], point)
    is_near(result["first"].value, 8 + settings.get("offset", 0.0))
    is_near(result.final.at(x + y), sum(point))


def test_highs_example_in_integers():
    program, x, y = highs_example(integer=True, atol=1.0)
    result = program.solve("HIGHS")
    assert (float(result.final[x]), float(result.final[y])) == (0, 7)


# GAMS test library, xpress08 (SEQ=831).
def xpress08(objectives, **tolerances):
    x, y = plane()
    program = lx.preemptive(objectives(x, y), [2 * x + y <= 3, 0.5 * x + y <= 1.5], **tolerances)
    return program, x, y


@linear
@pytest.mark.parametrize(("tolerance", "point"), [(0.0, (1.5, 0)), (0.5, (1, 1)), (1.5, (0, 1.5))])
def test_gams_xpress08(tolerance, point, solver):
    program, x, y = xpress08(
        lambda x, y: {"x": cp.Maximize(x), "y": cp.Maximize(y)}, atol=tolerance
    )
    result = program.solve(solver)
    is_near([result.final[x], result.final[y]], point)


@linear
def test_gams_xpress08_blended(solver):
    program, x, y = xpress08(lambda x, y: {"blend": cp.Maximize(1.1 * x + y)})
    result = program.solve(solver)
    is_near([result.final[x], result.final[y]], (1, 1))


# MultiObjectiveAlgorithms.jl, test/algorithms/test_Lexicographic.jl.
@linear
@pytest.mark.parametrize(
    ("rtol", "point"), [({}, (1, 1, 0, 0)), ({"first": 0.1}, (0.9, 1, 0, 0.1))]
)
def test_julia_lexicographic_knapsack(rtol, point, solver):
    x = cp.Variable(4, bounds=[0, 1], name="x")
    objectives = {"first": x[0], "second": x[1], "third": x[3], "fourth": x[2] + 1000}
    program = lx.preemptive(
        {name: cp.Maximize(f) for name, f in objectives.items()}, [cp.sum(x) <= 2], rtol=rtol
    )
    is_near(program.solve(solver).final[x], point)


# CRAN goalprog, data/ignizio.example.* (Ignizio 1976); answers recomputed exactly by z3. Rows of
# `achievement` are (goal, priority, weight of over-, weight of under-achievement).
IGNIZIO = {
    "3-1": {
        "matrix": [[10, 15], [100, 100], [0, 1]],
        "targets": [40, 1000, 7],
        "achievement": [(1, 1, 1, 0), (2, 2, 0, 1), (3, 3, 0, 1)],
        "point": (4, 0),
        "levels": (0, 600, 7),
    },
    "3-2": {
        "matrix": [[1, 1], [1, 1], [1, 0], [0, 1]],
        "targets": [40, 100, 30, 15],
        "achievement": [
            (3, 1, 1, 0), (4, 1, 1, 0), (1, 2, 1, 0), (2, 3, 0, 1), (3, 4, 0, 1), (4, 4, 0, 1.5),
        ],
        "point": (25, 15),
        "levels": (0, 0, 60, 5),
    },
}  # fmt: skip


@linear
@pytest.mark.parametrize("example", IGNIZIO)
def test_ignizio_goal_programs(example, solver):
    data = IGNIZIO[example]
    x = cp.Variable(2, nonneg=True, name="x")
    goals = []
    for number, (row, target) in enumerate(zip(data["matrix"], data["targets"], strict=True), 1):
        sides = {"over": (1, 0.0), "under": (1, 0.0)}
        for goal, priority, over, under in data["achievement"]:
            if goal == number:
                sides |= {"over": (priority, over)} if over else {"under": (priority, under)}
        goals.append(lx.Goal(f"goal {number}", np.array(row) @ x == target, **sides))
    result = lx.goal_program(goals).solve(solver)
    is_near(result.final[x], data["point"])
    is_near([solution.value for solution in result.values()], data["levels"])


# FICO Xpress Mosel User Guide, "Goal Programming" (goalctr.mos); recomputed exactly.
@linear
def test_mosel_goals(solver):
    x, y = plane()
    goals = [
        lx.Goal("profit", 7 * x + 3 * y >= 40, priority=1),
        lx.Goal("hours", 10 * x + 5 * y == 60, priority=2),
        lx.Goal("units", 5 * x + 4 * y >= 35, priority=3),
    ]
    result = lx.goal_program(goals, [100 * x + 60 * y <= 600]).solve(solver)
    is_near([result.final[x], result.final[y]], (6, 0))
    is_near([goal.miss.value for goal in goals], (0, 0, 5))


# Gurobi, examples/multiobj.py: 20 elements, four sets, two of them blended at one priority.
COVERS = [
    "11111111110000000000",
    "00000111110000011111",
    "00011011000001101100",
    "00011100011100011100",
]


def test_gurobi_multiobj_stage_values():
    chosen = cp.Variable(20, boolean=True, name="chosen")
    cover = [np.array([int(digit) for digit in row]) @ chosen for row in COVERS]
    levels = {
        "3": cp.Maximize(cover[0]),
        "2": cp.Maximize(0.25 * cover[1] + 1.25 * cover[2]),
        "1": cp.Maximize(cover[3]),
    }
    result = lx.preemptive(levels, [cp.sum(chosen) <= 12]).solve()
    assert [solution.value for solution in result.values()] == [10, 9.25, 6]


# cvxpy_leximin, doctest and tests: Alice and George share goods.
def shared(size=4):
    return cp.Variable(size, bounds=[0, 1], name="a")


def george(a):
    return 2 * (1 - a[0]) + 4 * (1 - a[1]) + 9 * (1 - a[2])


@linear
def test_leximin_sharing(solver):
    a = shared()
    result = lx.leximin([5 * a[0] + 3 * a[1], george(a)]).solve(solver)
    is_near([result.final.at(5 * a[0] + 3 * a[1]), result.final.at(george(a))], (8, 9))
    is_near(result.final[a][:3], (1, 1, 0))


@linear
def test_leximax_chores(solver):
    a = shared()
    costs = [5 * a[0] + 2 * a[1], george(a)]
    result = lx.leximax(costs).solve(solver)
    is_near([result.final.at(cost) for cost in costs], (2, 2))


@linear
def test_leximin_of_negative_chores(solver):
    a = shared()
    utilities = [-5 * a[0] - 3 * a[1], -george(a)]
    result = lx.leximin(utilities).solve(solver)
    is_near([result.final.at(u) for u in utilities], (-18 / 7, -18 / 7))


@linear
def test_leximin_where_one_agent_cares_for_three_goods(solver):
    a = shared()
    utilities = [(a[0] + a[2] + a[3]) / 3, (1 - a[0]) + (1 - a[1]) + (1 - a[2])]
    result = lx.leximin(utilities).solve(solver)
    is_near([result.final.at(u) for u in utilities], (1, 1))
    is_near(result.final[a], (1, 0, 1, 1))


# Nucleoli: Ferguson (UCLA lecture notes); Aumann and Maschler 1985 for the Talmud's bankruptcy;
# Guajardo and Jornsten 2015 on how often they are computed wrongly. Recomputed by a row of LPs.
FERGUSON = {(0,): -1, (1,): 0, (2,): 1, (0, 1): 3, (0, 2): 4, (1, 2): 2}
COALITIONS = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
CLAIMS = (100, 200, 300)


def nucleolus(worth, total, solver):
    x = cp.Variable(3, name="x")
    gains = {str(s): cp.sum(x[list(s)]) - worth[s] for s in COALITIONS}
    return lx.leximin(gains, [cp.sum(x) == total]).solve(solver).final[x]


@linear
def test_nucleolus_of_fergusons_game(solver):
    is_near(nucleolus(FERGUSON, 5, solver), (8 / 3, 2 / 3, 5 / 3))


@linear
@pytest.mark.parametrize(
    ("estate", "shares"), [(100, (100 / 3,) * 3), (200, (50, 75, 75)), (300, (50, 100, 150))]
)
def test_nucleolus_is_the_talmuds_division_of_an_estate(estate, shares, solver):
    worth = {
        s: max(0, estate - sum(c for k, c in enumerate(CLAIMS) if k not in s)) for s in COALITIONS
    }
    is_near(nucleolus(worth, estate, solver), shares)
