"""LP and MPS files: read as HiGHS and Gurobi read them, refused with the line, written back."""

import gzip
import random

import cvxpy as cp
import highspy
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.files.linear_model import ModelError
from lexiprog.files.lp import read_lp
from lexiprog.files.mps import read_mps

PLAN = """\\ a plan
Minimize multi-objectives
  cost: Priority=2 Weight=1 AbsTol=0 RelTol=0.5
   3 coal + wind + 2.5
  fumes: Priority=1 Weight=-2
   - coal
  idle: Priority=1
   5 spare
Subject To
 demand: coal + wind >= 8
 grid: 1 <= wind - spare <= 6
 coal + spare <= 20
Bounds
 coal <= 7
 -1 <= spare <= 3
Generals
 spare
End
"""
SAME = """NAME plan
ROWS
 N cost 2 1 0 0.5
 N fumes 1 -2 1e-6 0
 N idle 1 1 1e-6 0
 G demand
 L grid
 L R2
COLUMNS
 coal cost 3 fumes -1
 coal demand 1 R2 1
 wind cost 1 demand 1
 wind grid 1
 MARKER 'MARKER' 'INTORG'
 spare idle 5 grid -1
 spare R2 1
 MARKER 'MARKER' 'INTEND'
RHS
 RHS cost -2.5 demand 8
 RHS grid 6 R2 20
RANGES
 RNG grid 5
BOUNDS
 UP BND coal 7
 LO BND spare -1
 UP BND spare 3
ENDATA
"""


def in_highs(path):
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(path))
    return highs.getLp()


def same(model, lp):
    """Whether a model is what HiGHS has read."""
    A = lp.a_matrix_
    kind = sp.csc_array if A.format_ == highspy.MatrixFormat.kColwise else sp.csr_array
    theirs = kind((A.value_, A.index_, A.start_), (lp.num_row_, lp.num_col_))
    costs = np.zeros(lp.num_col_)
    for j, value in model.objectives[0].terms.items():
        costs[j] = value
    # HiGHS has columns in another order in LP files: those of the objective first.
    order = [lp.col_names_.index(name) for name in model.columns]
    return (
        set(model.columns) == set(lp.col_names_)
        and list(model.rows) == lp.row_names_
        and np.array_equal(model.lower, np.array(lp.col_lower_)[order])
        and np.array_equal(model.upper, np.array(lp.col_upper_)[order])
        and np.array_equal(model.row_lower, lp.row_lower_)
        and np.array_equal(model.row_upper, lp.row_upper_)
        and abs(sp.csc_array(theirs)[:, order] - model.matrix).sum() == 0
        and np.array_equal(costs, np.array(lp.col_cost_)[order])
        and model.objectives[0].constant == lp.offset_
    )


def text_of(random, kind):
    """A random file of one objective, in both formats' common words."""
    names = [f"x{k}" for k in range(5)]
    terms = lambda: {n: random.choice([-3, -1.5, 2, 7e-4]) for n in names if random.random() < 0.7}  # noqa: E731
    goal = dict.fromkeys(names, 1.0) | terms()
    rows = [(f"row_{k}", random.choice("LGE"), terms() or {"x0": 1}, random.randint(-9, 9))
            for k in range(4)]  # fmt: skip
    bounds = [(n, random.choice([-4, 0, 1]), random.choice([5, 6.5])) for n in names[1:4]]
    if kind == "lp":
        line = lambda t: " ".join(f"{'-' if v < 0 else '+'} {abs(v)} {n}" for n, v in t.items())  # noqa: E731
        sign = {"L": "<=", "G": ">=", "E": "="}
        return "\n".join([
            "maximize", f" obj: {line(goal)}", "subject to",
            *(f" {n}: {line(t)} {sign[k]} {r}" for n, k, t, r in rows), "bounds",
            *(f" {low} <= {n} <= {up}" for n, low, up in bounds), " x0 free", "end",
        ])  # fmt: skip
    lines = ["NAME random", "ROWS", " N obj", *(f" {k} {n}" for n, k, _, _ in rows), "COLUMNS"]
    for name in names:
        lines.append(f" {name} obj {goal[name]}")
        lines += [f" {name} {n} {t[name]}" for n, _, t, _ in rows if name in t]
    lines += ["RHS", " RHS obj 3", *(f" RHS {n} {r}" for n, _, _, r in rows)]
    lines += ["RANGES", *(f" RNG {n} {random.choice([-2, 4])}" for n, *_ in rows[:2]), "BOUNDS"]
    lines += [f" LO BND {n} {low}\n UP BND {n} {up}" for n, low, up in bounds]
    return "\n".join([*lines, " FR BND x0", "ENDATA", ""])


@pytest.mark.parametrize("kind", ["lp", "mps"])
def test_random_files_are_what_highs_reads(kind, tmp_path):
    for seed in range(30):
        text = text_of(random.Random(seed), kind)
        path = tmp_path / f"{seed}.{kind}"
        path.write_text(text)
        ours = (read_lp if kind == "lp" else read_mps)(text.splitlines(keepends=True), str(path))
        assert same(ours, in_highs(path)), text


def test_empty_sections_and_the_sense_of_pulps_files_are_read(tmp_path):
    text = "max\n obj: x\nst\n c: x <= 3\nbounds\nbin\ngen\nsemi\nend\n"
    assert read_lp(text.splitlines(), "x.lp").rows == ("c",)
    lines = ["*SENSE:Maximize", "NAME plan", "ROWS", " N obj", " L c", "COLUMNS", " x obj 1 c 1"]
    lines += ["RHS", " RHS c 3", "ENDATA"]
    assert read_mps(lines, "x.mps").maximise


def test_fixed_mps_has_names_with_spaces():
    text = """NAME          SPACES
ROWS
 N  COST
 L  LIM ONE
COLUMNS
    X ONE     COST               1.0   LIM ONE            1.0
    Y TWO     COST               2.0   LIM ONE           -1.0
RHS
    RHS       LIM ONE            4.0
BOUNDS
 UP BND       X ONE              4.0
ENDATA
"""
    model = read_mps(text.splitlines(keepends=True), "spaces.mps")
    assert model.columns == ("X ONE", "Y TWO")
    assert model.matrix.toarray().tolist() == [[1.0, -1.0]]
    assert model.upper.tolist() == [4.0, np.inf]


def test_priorities_weights_and_tolerances_make_levels(tmp_path):
    (tmp_path / "plan.lp").write_text(PLAN)
    (tmp_path / "plan.mps").write_text(SAME)
    with gzip.open(tmp_path / "plan.mps.gz", "wt") as file:
        file.write(SAME)
    for name in ("plan.lp", "plan.mps", "plan.mps.gz"):
        program = lx.read(tmp_path / name)
        assert list(program.subproblems) == ["cost", "fumes + idle"]
        result = program.solve()
        # By hand: 8 wind cost 10.5. With half of it more, 2 coal + 5 spare is least at spare 0 and
        # 6 wind; one spare less would cost 16.5.
        assert result["cost"].value == pytest.approx(10.5)
        at = result.final
        assert at.value == pytest.approx(4.0)
        assert (at["spare"], at["coal"], at["wind"]) == (0, pytest.approx(2), pytest.approx(6))


def test_a_level_of_one_keeps_its_own_units(tmp_path):
    text = PLAN.replace("  idle: Priority=1\n   5 spare\n", "").replace("RelTol=0.5", "")
    (tmp_path / "plan.lp").write_text(text)
    program = lx.read(tmp_path / "plan.lp")
    # Minimising -2 (-coal) is maximising -coal.
    assert program["fumes"].maximise
    result = program.solve()
    assert result["fumes"].value == pytest.approx(0.0)


def test_an_absolute_tolerance_is_one_of_the_weighted_objective(tmp_path):
    text = """Minimize multi-objectives
  low: Priority=2 Weight=2 AbsTol=3
   x
  high: Priority=1 Weight=-1
   x
Subject To
  c: x + y >= 1
Bounds
  x <= 9
End
"""
    (tmp_path / "t.lp").write_text(text)
    assert lx.read(tmp_path / "t.lp").solve().final.value == pytest.approx(1.5)
    assert lx.read(tmp_path / "t.lp", atol={"low": 4}).solve().final.value == pytest.approx(4.0)
    assert lx.read(tmp_path / "t.lp", atol=0).solve().final.value == pytest.approx(0.0)


def test_further_objectives_come_from_python(tmp_path):
    (tmp_path / "one.lp").write_text("min\n cost: 3 x + y\nst\n d: x + y >= 8\nend\n")
    program = lx.read(
        tmp_path / "one.lp",
        lambda column: {"far": cp.Maximize(column["y"]), "near": cp.Minimize(column["x"])},
        rtol={"cost": 0.5},
    )
    assert [round(s.value, 6) for s in program.solve().values()] == [8, 12, 0]
    with pytest.raises(KeyError, match="no column is called 'z'"):
        lx.read(tmp_path / "one.lp", lambda column: {"far": cp.Maximize(column["z"])})
    with pytest.raises(lx.DeclarationError, match="two objectives are called 'cost'"):
        lx.read(tmp_path / "one.lp", lambda column: {"cost": cp.Maximize(column["x"])})


def test_names_reach_results_conflicts_and_prices(tmp_path):
    (tmp_path / "plan.mps").write_text(SAME)
    program = lx.read(tmp_path / "plan.mps", rtol=0)
    result = program.solve()
    assert float(result.final["wind"]) == 8.0
    assert "wind = 8" in str(result.final)
    cost = lx.read(tmp_path / "plan.mps").solve()["cost"]
    with pytest.raises(KeyError, match="no multiplier"):
        cost.dual("demand")  # with integers there is none
    with pytest.raises(KeyError, match=r"no row is called 'demnd'.*Did you mean 'demand'"):
        cost.dual("demnd")
    result.save(tmp_path / "result.json")
    assert float(lx.Result.load(tmp_path / "result.json").final["wind"]) == 8.0
    linear = SAME.replace(" MARKER 'MARKER' 'INTORG'\n", "").replace(" G demand", " G demand")
    linear = linear.replace(" MARKER 'MARKER' 'INTEND'\n", "")
    (tmp_path / "linear.mps").write_text(linear)
    assert lx.read(tmp_path / "linear.mps").solve()["cost"].dual("demand") == pytest.approx(1.0)
    (tmp_path / "no.mps").write_text(linear.replace("demand 8", "demand 99"))
    with pytest.raises(lx.StageError) as caught:
        lx.read(tmp_path / "no.mps").solve()
    named = {name for part in caught.value.conflict for name in part.names}
    assert named == {"demand", "grid", "R2"}  # coal + wind are at most 6 + 20
    assert "demand" in str(caught.value)


def test_the_variable_of_a_name_can_be_used_in_expressions(tmp_path):
    (tmp_path / "one.lp").write_text("min\n cost: 3 x + y\nst\n d: x + y >= 8\nend\n")
    cost = lx.read(tmp_path / "one.lp")["cost"]
    later = lx.Subproblem("far", cp.Maximize(cost.variable("x")), [*cost.constraints, cost.held()])
    assert lx.Program(lx.Stage("a", cost), lx.Stage("b", later)).solve().final.value == 0


BAD = [
    ("x.lp", "minimize\n obj: x + y\nsubject to\n c1: x + 2 y >=\nbounds\n x <= 4\nend\n", 4,
     "expected more behind '>='"),
    ("x.lp", "minimize\n obj: x y\nsubject to\n c1: x >= 1\nend\n", 2, "'y' is not expected"),
    ("x.lp", "minimize\n obj: x\nsubjct to\n c1: x >= 1\nend\n", 3, "'subjct' is not expected"),
    ("x.lp", "minimize\n obj: x\nst\n c1: x >= y\nend\n", 4, "what varies stands on the left"),
    ("x.lp", "minimize\n obj: x\nst\n c1: x + y\n c2: x >= 1\nend\n", 5, "expected <=, >= or ="),
    ("x.lp", "minimize\n obj: x\nst\n c: x >= 1\n c: x >= 2\nend\n", 5, "a second row"),
    ("x.lp", "minimize\n obj: x\nst\n c: x >= 1\n", 4, "without the word End"),
    ("x.lp", "minimize\n obj: [ x ^2 ]\nst\n c: x >= 1\nend\n", 2, "quadratic"),
    ("x.lp", "minimize\n obj: x\nst\n c: x >= 1\nSOS\n s: S1 :: x:1\nend\n", 6,
     "special ordered sets"),
    ("x.lp", "minimize\n obj: x\nst\n c: x >= 1\nsemi-continuous\n x\nend\n", 6,
     "semi-continuous"),
    ("x.lp", "minimize\n obj: x\nst\n b = 1 -> x >= 1\nend\n", 4, "indicator"),
    ("x.lp", "minimize\n obj: x\nst\n c: x >= 1\nbounds\n x\nend\n", 6, "expected a bound"),
    ("x.lp", "x + y\nend\n", 1, "expected Minimize or Maximize"),
    ("x.lp", "minimize multi-objectives\n a: Priority=high\n  x\nst\n c: x >= 1\nend", 2,
     "Priority is a number"),
    ("x.mps", SAME.replace("coal cost 3", "coal csot 3"), 10, "row 'csot' is not in section ROWS"),
    ("x.mps", SAME.replace("coal cost 3", "coal cost abc"), 10, "expected a number, not 'abc'"),
    ("x.mps", SAME.replace("UP BND coal", "UP BND cole"), 24, "column 'cole'"),
    ("x.mps", SAME.replace("UP BND coal", "UX BND coal"), 24, "expected a bound's kind"),
    ("x.mps", SAME.replace("RANGES", "RNAGES"), 21, "'RNAGES' is no section"),
    ("x.mps", SAME.replace("RANGES", "SOS"), 21, "special ordered sets"),
    ("x.mps", SAME.replace("UP BND coal", "SC BND coal"), 24, "semi-continuous"),
    ("x.mps", SAME.replace("ENDATA\n", ""), 26, "without ENDATA"),
    ("x.mps", SAME.replace(" wind grid 1\n", " wind grid 1\n wind grid 2\n"), 14, "second entry"),
    ("x.mps", SAME.replace(" N cost 2 1 0 0.5", " N cost 2 1"), 3, "priority, weight"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "line", "said"), BAD)
def test_bad_files_are_refused_with_file_line_and_what_was_expected(
    name, text, line, said, tmp_path
):
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=rf"{name}, line {line}: .*{said}"):
        lx.read(tmp_path / name)


def test_names_of_files_say_what_they_are(tmp_path):
    with pytest.raises(ModelError, match=r"ends with \.lp, \.mps or \.mof\.json"):
        lx.read(tmp_path / "plan.txt")
    with pytest.raises(FileNotFoundError):
        lx.read(tmp_path / "plan.lp")
    (tmp_path / "plan.lp.gz").write_text(PLAN)
    with pytest.raises(ModelError, match="no whole gzip file"):
        lx.read(tmp_path / "plan.lp.gz")


def test_rows_of_kind_n_without_priorities_are_named_when_left_out():
    text = SAME.replace(" 2 1 0 0.5", "").replace(" 1 -2 1e-6 0", "").replace(" 1 1 1e-6 0", "")
    with pytest.warns(lx.LexiprogWarning, match="fumes, idle of kind N have no priority"):
        model = read_mps(text.splitlines(), "x.mps")
    assert [one.name for one in model.objectives] == ["cost"]


@pytest.mark.parametrize("ending", [".lp", ".mps", ".lp.gz", ".mps.gz"])
def test_what_is_written_is_read_back_the_same(ending, tmp_path):
    (tmp_path / "plan.mps").write_text(SAME)
    program = lx.read(tmp_path / "plan.mps")
    program.write(tmp_path / f"again{ending}")
    again = lx.read(tmp_path / f"again{ending}")
    values = [{name: s.value for name, s in p.solve().items()} for p in (program, again)]
    assert list(values[1].values()) == pytest.approx(list(values[0].values()))
    assert again["cost"].variable("coal") is not None
    again.write(tmp_path / f"third{ending}")
    opened = gzip.open if ending.endswith("gz") else open
    with opened(tmp_path / f"again{ending}") as one, opened(tmp_path / f"third{ending}") as two:
        assert one.read() == two.read()


def test_programs_made_in_python_are_written_with_their_names(tmp_path):
    x = cp.Variable((2, 2), nonneg=True, name="ship to")
    y = cp.Variable(name="y", integer=True, bounds=[-3, 8])
    limit = cp.Parameter(name="limit", value=3.0)
    rows = [(cp.sum(x, axis=0) >= [2, 0.5]).set_label("demand"), cp.sum(x) - y <= limit,
            x[0, 1] == 1 - x[1, 1]]  # fmt: skip
    program = lx.preemptive(
        {"cost": cp.Minimize(cp.sum(cp.multiply(np.array([[1, 2], [3, 4]]), x)) + y + 1),
         "most": cp.Maximize(x[1, 0])}, rows, rtol={"cost": 0.25},
    )  # fmt: skip
    expected = [s.value for s in program.solve().values()]
    for name in ("made.lp", "made.mps"):
        program.write(tmp_path / name)
        again = lx.read(tmp_path / name)
        assert [s.value for s in again.solve().values()] == pytest.approx(expected)
        assert "ship_to[0,1]" in (tmp_path / name).read_text()
        assert "demand[1]" in (tmp_path / name).read_text()


def test_bends_are_written_as_rows_of_further_columns(tmp_path):
    x = cp.Variable(3, bounds=[-4, 4], name="x")
    levels = {
        "near": cp.Minimize(cp.sum(cp.abs(x - [1, -2, 3]))),
        "least": cp.Maximize(cp.min(x) - cp.maximum(x[0], 2 * x[1])),
        "some": cp.Minimize(cp.sum_largest(x, 2)),
    }
    rows = [cp.norm1(x) <= 4, (x[0] + x[1] >= 0).set_label("even")]
    program = lx.preemptive(levels, rows, atol={"near": 0.25, "least": 0.5})
    expected = [s.value for s in program.solve().values()]
    for name in ("bends.lp", "bends.mps"):
        program.write(tmp_path / name)
        found = [s.value for s in lx.read(tmp_path / name).solve().values()]
        assert found == pytest.approx(expected)


def test_what_no_file_can_say_is_refused_by_name(tmp_path):
    x = cp.Variable(2, nonneg=True, name="x")
    curved = lx.preemptive({"far": cp.Minimize(cp.sum_squares(x))}, [cp.sum(x) >= 1])
    with pytest.raises(ModelError, match="level 'far' is not linear"):
        curved.write(tmp_path / "a.lp")
    regret = lx.minimax_regret({"a": cp.Minimize(x[0]), "b": cp.Minimize(x[1])}, [cp.sum(x) >= 1])
    with pytest.raises(ModelError, match="stage 'ideal' has 2 subproblems"):
        regret.write(tmp_path / "a.lp")
    low = lx.Subproblem("low", cp.Minimize(x[0]), [cp.sum(x) >= 1])
    high = lx.Subproblem("high", cp.Maximize(x[0]), [x[1] <= 1, low.held()])
    program = lx.Program(lx.Stage("low", low), lx.Stage("high", high))
    with pytest.raises(ModelError, match="level 'high' has other constraints"):
        program.write(tmp_path / "a.lp")
