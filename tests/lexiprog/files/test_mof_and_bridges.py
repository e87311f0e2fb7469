"""MathOptFormat, and models of HiGHS, Gurobi, linopy and PuLP."""

import json
import random
from importlib.util import find_spec

import cvxpy as cp
import highspy
import numpy as np
import pulp
import pytest

import lexiprog as lx

needs_gurobi = pytest.mark.skipif(find_spec("gurobipy") is None, reason="gurobipy is not installed")
needs_linopy = pytest.mark.skipif(find_spec("linopy") is None, reason="linopy is not installed")


def affine(constant, **terms):
    listed = [{"coefficient": value, "variable": name} for name, value in terms.items()]
    return {"type": "ScalarAffineFunction", "terms": listed, "constant": constant}


def vector(*rows):
    return {
        "type": "VectorAffineFunction",
        "terms": [
            {"output_index": k, "scalar_term": term}
            for k, row in enumerate(rows, 1)
            for term in row["terms"]
        ],
        "constants": [row["constant"] for row in rows],
    }


def mof(objective, constraints, sense="min"):
    return {
        "version": {"major": 1, "minor": 7},
        "variables": [{"name": "x"}, {"name": "y"}],
        "objective": {"sense": sense, "function": objective},
        "constraints": constraints,
    }


def row(function, kind, name="", **sides):
    return {"name": name, "function": function, "set": {"type": kind, **sides}}


X, Y = ({"type": "Variable", "name": name} for name in "xy")
BOX = [row(X, "Interval", lower=0, upper=4), row(Y, "GreaterThan", lower=0)]
DEMAND = row(affine(0, x=1, y=1), "GreaterThan", "demand", lower=3)
FILES = {
    # 2 y where x is at most 4; then what is left of x.
    "two levels": (mof(vector(affine(1, x=1), affine(0, y=-1)), [*BOX, DEMAND,
                   row(affine(2, y=1), "LessThan", "cap", upper=9)]), [1.0, -7.0]),
    "integers": (mof(vector(affine(0, y=2), affine(0, x=3)), [*BOX, row(X, "Integer"),
                 row(affine(0, x=2, y=1), "GreaterThan", "demand", lower=3)]), [0.0, 6.0]),
    "vector sets": (mof({"type": "VectorOfVariables", "variables": ["x", "y"]},
                    [*BOX, row(vector(affine(-3, x=1, y=1), affine(-1, x=1)), "Nonnegatives", "a"),
                     row(vector(affine(-5, x=1, y=1)), "Nonpositives", "b")], "max"),
                    [4.0, 1.0]),
    "one objective": (mof(affine(0, x=1), [*BOX, DEMAND, row(X, "ZeroOne")], "max"), [1.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_mathoptformat_is_read_solved_and_written(name, tmp_path):
    record, expected = FILES[name]
    path = tmp_path / "model.mof.json"
    path.write_text(json.dumps(record))
    program = lx.read(path)
    assert [s.value for s in program.solve().values()] == pytest.approx(expected)
    for ending in (".mof.json", ".mof.json.gz", ".lp", ".mps"):
        program.write(tmp_path / f"again{ending}")
        again = lx.read(tmp_path / f"again{ending}")
        assert [s.value for s in again.solve().values()] == pytest.approx(expected)


def test_what_mathoptformat_holds_beyond_linear_rows_is_refused_by_name(tmp_path):
    path = tmp_path / "model.mof.json"
    norm = row({"type": "VectorOfVariables", "variables": ["x", "y"]}, "SecondOrderCone")
    for record, said in [
        (mof(affine(0, x=1), [norm]), r"constraints\[0\]: sets of type SecondOrderCone"),
        (mof(affine(0, z=1), []), "objective: 'z' is not among the variables"),
        (mof({"type": "ScalarQuadraticFunction"}, []), "functions of type ScalarQuadratic"),
        ({"variables": []}, "expected the fields 'version' and 'variables'"),
        (mof(affine(0, x=1), [{"function": X}]), r"constraints\[0\]: expected another form"),
    ]:
        path.write_text(json.dumps(record))
        with pytest.raises(lx.LexiprogError, match=said):
            lx.read(path)
    path.write_text('{"version":\n oops}')
    with pytest.raises(lx.LexiprogError, match="line 2: expected JSON"):
        lx.read(path)


def test_highs_models_keep_their_names_and_objectives():
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    x, y = highs.addVariable(lb=0, ub=4, name="x"), highs.addVariable(name="y")
    z = highs.addIntegral(lb=-2, ub=5, name="z")
    highs.addConstr(x + y + z >= 3.5, name="demand")
    highs.addConstr(x - y == 1, name="tie")
    highs.minimize(2 * x + y + z + 7)
    program = lx.from_highs(highs, lambda column: {"large": cp.Maximize(column["z"])})
    result = program.solve()
    assert result["obj"].value == pytest.approx(highs.getObjectiveValue())
    assert result.final["z"] == 2  # x >= 1, and z is whole
    assert lx.from_highs(highs).solve().final["x"] == pytest.approx(1.25)
    for priority, costs in ((1, [1.0, 0.0, 0.0]), (2, [0.0, 0.0, -1.0])):
        goal = highspy.HighsLinearObjective()
        goal.coefficients, goal.priority, goal.weight, goal.offset = costs, priority, 1.0, 0.5
        goal.abs_tolerance, goal.rel_tolerance = 0.0, 0.0
        highs.addLinearObjective(goal)
    values = [s.value for s in lx.from_highs(highs).solve().values()]
    assert values == pytest.approx([-4.5, 1.5])


def test_pulp_problems_keep_their_names():
    problem = pulp.LpProblem("plan", pulp.LpMaximize)
    x, y = problem.add_variable("x", 0), problem.add_variable("y", 0, 5, cat="Integer")
    problem += 3 * x + y + 1, "profit"
    problem += x + y <= 8.5, "room"
    problem += x - y >= -2, "tie"
    problem += x + 2 * y == 9, "mix"
    result = lx.from_pulp(problem, {"even": y, "odd": ("max", 2 * x)}, atol={"profit": 5}).solve()
    # By hand: y = 1 leaves x = 7; five less of profit allow y = 2, not fewer.
    assert [s.value for s in result.values()] == pytest.approx([23.0, 1.0, 14.0])
    with pytest.raises(lx.DeclarationError, match="'min' or 'max'"):
        lx.from_pulp(problem, {"even": ("most", y)})
    first = lx.from_pulp(problem, {"even": y, "profit": None})
    assert list(first.subproblems) == ["even", "profit"]


def gurobi_model(seed):
    """Four objectives of random priorities over six columns."""
    import gurobipy as gp

    draw, environment = random.Random(seed), gp.Env(params={"OutputFlag": 0})
    model, whole = gp.Model(f"m{seed}", env=environment), seed % 2 == 0
    x = [
        model.addVar(lb=draw.choice([0, 0, -2]), ub=draw.choice([4, 7]), name=f"x[{j},a]",
                     vtype=draw.choice("CI") if whole else "C")
        for j in range(6)
    ]  # fmt: skip
    for i in range(4):
        total = gp.quicksum(draw.randint(0, 4) * v for v in x)
        model.addConstr(total <= draw.randint(10, 30), name=f"cap_{i}")
    model.addRange(x[0] + x[1], 0, 6, "range")
    for k in range(4):
        model.setObjectiveN(
            gp.quicksum(draw.randint(-4, 5) * v for v in x) + draw.choice([0, 3]), k,
            priority=draw.randint(0, 2), weight=draw.choice([1, 2, -1]), name=f"goal{k}",
            abstol=draw.choice([1e-6, 1.0]) if whole else 1e-6,
            reltol=draw.choice([0, 0.1]) if whole else 0,
        )  # fmt: skip
    model.ModelSense = draw.choice([1, -1])
    model.Params.MIPGap = 0  # else Gurobi's levels may each give up 1e-4 of what they found
    model.update()
    return model


@needs_gurobi
@pytest.mark.parametrize("seed", range(10))
def test_levels_are_gurobis_in_its_model_and_in_the_files_it_writes(seed, tmp_path):
    model = gurobi_model(seed)
    for ending in ("lp", "mps", "mps.gz"):
        model.write(str(tmp_path / f"model.{ending}"))
    model.optimize()
    blended = {}
    for k in range(model.NumObj):
        model.Params.ObjNumber = k
        blended.setdefault(model.ObjNPriority, []).append((model.ObjNWeight, model.ObjNVal))
    expected = [
        members[0][1] if len(members) == 1 else sum(w * v for w, v in members)
        for _, members in sorted(blended.items(), reverse=True)
    ]
    programs = [lx.from_gurobi(model)]
    programs += [lx.read(tmp_path / f"model.{ending}") for ending in ("lp", "mps", "mps.gz")]
    programs[0].write(tmp_path / "ours.lp")
    programs.append(lx.read(tmp_path / "ours.lp"))
    for program in programs:
        last = program.solve().final
        found = [float(last.at(p.objective.expr)) for p in program.subproblems.values()]
        assert found == pytest.approx(expected, abs=1e-5)


@needs_gurobi
def test_files_of_ours_are_read_by_gurobi(tmp_path):
    import gurobipy as gp

    environment = gp.Env(params={"OutputFlag": 0})
    for seed in (1, 3, 5):
        program = lx.from_gurobi(gurobi_model(seed))
        expected = [s.value for s in program.solve().values()]
        for ending in ("lp", "mps"):
            program.write(tmp_path / f"ours.{ending}")
            again = gp.read(str(tmp_path / f"ours.{ending}"), environment)
            again.optimize()
            found = []
            for k in range(again.NumObj):
                again.Params.ObjNumber = k
                found.append(again.ObjNVal if again.IsMultiObj else again.ObjVal)
            assert found == pytest.approx(expected, abs=1e-6)


@needs_gurobi
def test_what_gurobi_solves_and_no_linear_hierarchy_holds_is_refused_by_name():
    import gurobipy as gp

    model = gp.Model(env=gp.Env(params={"OutputFlag": 0}))
    x = model.addVar(vtype="S", lb=2, ub=5, name="x")
    with pytest.raises(lx.LexiprogError, match="'x' is semi-continuous"):
        lx.from_gurobi(model)
    model.addSOS(1, [x, model.addVar()])
    with pytest.raises(lx.LexiprogError, match="special ordered sets"):
        lx.from_gurobi(model)


@needs_linopy
def test_linopy_models_keep_names_and_coordinates():
    import linopy
    import pandas as pd

    model = linopy.Model()
    zones, hours = pd.Index(["north", "south"], name="zone"), pd.RangeIndex(2, name="t")
    p = model.add_variables(lower=0, coords=[zones, hours], name="p")
    store = model.add_variables(lower=0, upper=5, name="store")
    model.add_constraints(p.sum("zone") + store >= pd.Series([4, 9], index=hours), name="demand")
    model.add_objective((2 * p).sum() + 3 * store)
    north = p.sel(zone="north").sum()
    program = lx.from_linopy(
        model, {"cost": None, "north": ("max", north), "late": p.sel(t=1).sum()}
    )
    result = program.solve()
    # 4 from the store serve both hours at 12, the other 5 cost 10.
    assert [s.value for s in result.values()] == pytest.approx([22.0, 5.0, 5.0])
    assert float(result.final["p[north,1]"]) == pytest.approx(5.0)
    assert result["cost"].dual("demand[1]") == pytest.approx(2.0)
    assert np.isclose(float(result.final["store"]), 4.0)
