"""Fronts of any number of objectives against trying everything; proofs without lexiprog."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import inf
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.deadline import Deadline
from lexiprog.parametric.front_proof import FrontProof
from lexiprog.parametric.integer_search import FrontState, search_points
from lexiprog.parametric.regions import Regions, hypervolume
from lexiprog.parametric.upper_image import outer_approximation, solved, value_of
from lexiprog.parametric.value_function import CurveError
from lexiprog.rational.program import ExactLP
from tests.lexiprog.parametric.forms import form_of

PAGE = Path(__file__).parents[3] / "docs/check_fronts.py"


@pytest.fixture(scope="module")
def page():
    namespace = {"__name__": "page"}
    exec(compile(PAGE.read_text(), str(PAGE), "exec"), namespace)

    def check(proof):
        numbers = json.loads(proof if isinstance(proof, str) else proof.json)
        return namespace["CHECKS"][numbers["kind"]](numbers)

    check.refused = namespace["Refused"]
    check.rays_of = lambda rows: namespace["rays_of"](rows)[0]
    return check


def without_dominated(values):
    values = np.unique(values, axis=0)
    beaten = [np.any(np.all(values <= v, axis=1) & np.any(values < v, axis=1)) for v in values]
    return values[~np.array(beaten, dtype=bool)].tolist() if len(values) else []


def with_idle_column(form):
    A = np.column_stack([form.A.toarray(), np.zeros(form.b.size)])
    lower, upper = (np.append(e, end) for e, end in ((form.lower, 0.0), (form.upper, 1.0)))
    return replace(form, c=np.append(form.c, 0.0), A=sp.csc_array(A), lower=lower, upper=upper)


def random_program(seed):
    """Whole numbers of any sign in a box, some rows, an equation now and then, 2 to 4 costs."""
    rng = np.random.default_rng(seed)
    count, size, rows = (int(rng.integers(*r)) for r in ((2, 5), (3, 7), (0, 4)))
    equations = int(rng.integers(0, 2)) if rows else 0
    lower = rng.integers(-2, 1, size)
    upper = lower + rng.integers(0, 3, size)
    A, costs = rng.integers(-5, 6, (rows, size)), rng.integers(-9, 10, (count, size))
    if rng.random() < 0.2:
        costs[1] = costs[0]
    inside = rng.integers(lower, upper + 1)
    b = A @ inside + np.where(np.arange(rows) < equations, 0, rng.integers(-3, 8, rows))
    form = StandardForm(
        c=np.zeros(size), offset=0.0, A=form_of(np.zeros(size), A, b).A, b=b.astype(float),
        cones=Cones(zero=equations, nonneg=rows - equations), lower=lower.astype(float),
        upper=upper.astype(float), integer=np.arange(size),
    )  # fmt: skip
    x = np.array(list(product(*(range(a, e + 1) for a, e in zip(lower, upper, strict=True)))))
    fits = np.all(x @ A.T <= b, axis=1) & np.all((x @ A.T == b)[:, :equations], axis=1)
    return form, costs.astype(float), without_dominated(x[fits] @ costs.T)


@pytest.mark.parametrize("by_slices", [True, False])
def test_random_integer_programs_have_every_point_and_a_proof(by_slices, page):
    feasible = 0
    for seed in range(60 if by_slices else 12):
        form, costs, wanted = random_program(seed)
        if not by_slices:  # a column that nothing asks for, and that is not whole
            form, costs = with_idle_column(form), np.column_stack([costs, np.zeros(len(costs))])
        if not wanted:
            with pytest.raises(CurveError, match="feasible"):
                search_points(form, costs)
            continue
        feasible += 1
        search = search_points(form, costs)
        assert sorted(search.values.tolist()) == wanted, seed
        proof = FrontProof.of_integers(search.state, search.solver.whole)
        told = page(proof)
        assert ("an integer programming solver's word" in told) == (not by_slices)
        if len(wanted) > 1:  # a front that lacks a point is refused
            numbers = json.loads(proof.json)
            numbers["points" if by_slices else "values"].pop(seed % len(wanted))
            with pytest.raises(page.refused):
                page(json.dumps(numbers))
    assert feasible > 8


@pytest.mark.parametrize("seed", range(3))
def test_slices_and_integer_programs_agree_with_every_permutation(seed):
    """Assignments: an integer program that weighs the objectives too lightly loses points here."""
    size = 6
    costs = np.random.default_rng(seed).integers(1, 21, (3, size * size)).astype(float)
    eye = np.eye(size)
    A = np.vstack([np.kron(eye, np.ones(size)), np.kron(np.ones(size), eye)])
    n = size * size
    form = StandardForm(
        c=np.zeros(n), offset=0.0, A=sp.csc_array(A), b=np.ones(2 * size),
        cones=Cones(zero=2 * size), lower=np.zeros(n), upper=np.ones(n), integer=np.arange(n),
    )  # fmt: skip
    places = np.array([np.arange(size) * size + p for p in permutations(range(size))])
    wanted = without_dominated(np.array([c[places].sum(axis=1) for c in costs]).T)
    assert sorted(search_points(form, costs).values.tolist()) == wanted
    idle = np.column_stack([costs, np.zeros(3)])
    assert sorted(search_points(with_idle_column(form), idle).values.tolist()) == wanted


def test_a_statement_that_does_not_follow_is_refused(page):
    form, costs, _ = random_program(4)
    search = search_points(form, costs)
    numbers = json.loads(FrontProof.of_integers(search.state, search.solver.whole).json)
    numbers["statements"] = numbers["statements"][1:]
    with pytest.raises(page.refused):
        page(json.dumps(numbers))


def three(size=12, seed=7, count=3, **options):
    rng = np.random.default_rng(seed)
    weights, *gains = rng.integers(1, 60, (count + 1, size))
    take = cp.Variable(size, boolean=True, name="take")
    objectives = {k: cp.Maximize(g @ take) for k, g in zip("abcdef", gains, strict=False)}
    return lx.frontier(objectives, [weights @ take <= weights.sum() // 2], **options)


def test_the_page_runs_as_a_command(tmp_path):
    three().proof.save(tmp_path / "proof.json")
    told = subprocess.run(
        [sys.executable, str(PAGE), str(tmp_path / "proof.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "complete" in told.stdout
    broken = json.loads((tmp_path / "proof.json").read_text())
    broken["points"].pop()
    (tmp_path / "proof.json").write_text(json.dumps(broken))
    told = subprocess.run(
        [sys.executable, str(PAGE), str(tmp_path / "proof.json")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode
    assert "refused" in told.stderr


def test_parts_say_how_much_is_open_and_resume_closes_it():
    whole = three()
    part = three(limit=4)
    assert len(part) == 4
    assert not part.complete
    assert 0 < part.open <= 1
    assert "still open" in str(part)
    known = {tuple(p) for p in whole.points.tolist()}
    assert {tuple(p) for p in part.points.tolist()} <= known
    rest = three(resume=part)
    assert rest.points.tolist() == whole.points.tolist()
    assert (rest.open, rest.complete) == (0.0, True)


def test_workers_find_the_same_front(page):
    front = three(workers=2)
    assert front.points.tolist() == three().points.tolist()
    page(front.proof)


def test_general_and_mixed_integers():
    x = cp.Variable(2, integer=True, name="x")
    y = cp.Variable(nonneg=True, name="y")
    rows = [x >= 0, x <= 4, y <= 2.5, y <= x[0] + 0.5]
    aims = {"x0": cp.Minimize(x[0]), "x1": cp.Maximize(x[1]), "y": cp.Maximize(y - 0.25 * x[1])}
    front = lx.frontier(aims, rows)
    values = [(a, -b, -(min(2.5, a + 0.5) - 0.25 * b)) for a in range(5) for b in range(5)]
    wanted = np.array(without_dominated(np.array(values))) * [1, -1, -1]
    assert front.complete
    assert sorted(front.points.round(6).tolist()) == sorted(wanted.tolist())


def test_constant_equal_and_huge_objectives_have_answers():
    take = cp.Variable(6, boolean=True, name="take")
    gain = np.array([3, 5, 2, 7, 4, 1])
    room = [np.array([2, 4, 3, 5, 1, 6]) @ take <= 9]
    plain = {"a": cp.Maximize(gain @ take), "b": cp.Maximize(gain[::-1] @ take)}
    front = lx.frontier(plain, room)
    again = lx.frontier({**plain, "c": cp.Maximize(gain @ take)}, room)
    assert again.points[:, :2].tolist() == front.points.tolist()
    still = lx.frontier({**plain, "fixed": cp.Minimize(cp.Constant(3.0))}, room)
    assert still.points.tolist() == [[*p, 3.0] for p in front.points.tolist()]
    only = lx.frontier({"a": plain["a"], "fixed": cp.Minimize(cp.Constant(3.0))}, room)
    assert only.points.tolist() == [[front.points[:, 0].max(), 3.0]]
    huge = {k: cp.Maximize(1e6 * o.expr) for k, o in plain.items()}
    assert lx.frontier(huge, room).points.tolist() == (1e6 * front.points).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_decimals_and_thirds_have_every_point_whatever_is_added_to_them(seed):
    """Values that floats round: a limit at such a value must not cut off its own point."""
    rng = np.random.default_rng(seed)
    bottom = 3 if seed % 2 else 1000
    tops, sides = rng.integers(-999, 1000, (4, 5)), rng.integers(-5, 6, 4)
    every = np.array(list(product([0, 1], repeat=5)))
    every = every[every.sum(axis=1) <= 3]
    x = cp.Variable(5, boolean=True, name="x")
    aims = {
        f"f{k}": cp.Minimize(row / bottom @ x + side)
        for k, (row, side) in enumerate(zip(tops, sides, strict=True))
    }
    front = lx.frontier(aims, [cp.sum(x) <= 3])
    wanted = np.array(without_dominated(every @ tops.T)) / bottom + sides
    assert front.complete
    assert front.points == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_a_front_over_what_a_program_holds():
    x = cp.Variable(3, nonneg=True, name="x")
    rows = [cp.sum(x) <= 4, x <= 3]
    program = lx.preemptive({"most": cp.Maximize(cp.sum(x))}, rows)
    aims = {name: cp.Maximize(x[k]) for k, name in enumerate("abc")}
    front = lx.frontier(aims, program=program)
    assert front.complete
    assert front.points.sum(axis=1) == pytest.approx(np.full(len(front), 4.0))
    assert sorted(front.points.tolist()) == sorted(
        [list(map(float, p)) for p in product([0, 1, 3], repeat=3) if sorted(p) == [0, 1, 3]]
    )
    loose = lx.frontier(aims, [*rows, program["most"].held(atol=1.0)], program=program)
    assert loose.points.sum(axis=1).max() == pytest.approx(4.0)
    with pytest.raises(lx.DeclarationError, match="another name"):
        lx.frontier({"most": aims["a"], "b": aims["b"]}, program=program)


# Hypervolume and regions.


def test_regions_hold_exactly_what_no_point_dominates():
    rng = np.random.default_rng(0)
    for count in (2, 3, 4):
        regions, points = Regions(np.full(count, 7.0)), rng.integers(0, 7, (12, count))
        for z in points:
            regions.add(z.astype(float))
        for z in product(range(7), repeat=count):
            dominated = np.any(np.all(points <= z, axis=1))
            assert dominated != np.any(np.all(np.array(z) < regions.bounds, axis=1))
        inside = sum(
            bool(np.any(np.all(points <= z, axis=1))) for z in product(range(7), repeat=count)
        )
        assert hypervolume(points.astype(float), np.full(count, 7.0)) == inside


# Linear: enumeration in fractions.


def enumerated(A, b, costs, rays_of):
    """Vertices and facets of the upper image of {Ax >= b, x >= 0}, from every basis."""
    m, n = A.shape
    rows = [*A.tolist(), *np.eye(n, dtype=int).tolist()]
    sides = [*map(int, b), *[0] * n]
    values = set()
    for basis in combinations(range(m + n), n):
        found = solved([rows[i] for i in basis], [Fraction(sides[i]) for i in basis])
        if found is None:
            continue
        tops, bottom = found
        if all(
            sum(r * x for r, x in zip(row, tops, strict=True)) >= side * bottom
            for row, side in zip(rows, sides, strict=True)
        ):
            values.add(tuple(Fraction(sum(int(c) * x for c, x in zip(cost, tops, strict=True)),
                                      bottom) for cost in costs))  # fmt: skip
    p = len(costs)
    generators = []
    for value in sorted(values):
        bottom = np.lcm.reduce([v.denominator for v in value]) if value else 1
        generators.append((int(bottom), *(int(v * int(bottom)) for v in value)))
    generators += [tuple(int(i == k) for i in range(p + 1)) for k in range(1, p + 1)]
    facets = rays_of(generators)  # the dual cone
    tight = {
        g: {f for f in facets if sum(a * c for a, c in zip(f, g, strict=True)) == 0}
        for g in generators
        if g[0]
    }
    vertices = {
        tuple(Fraction(v, g[0]) for v in g[1:])
        for g, mine in tight.items()
        if not any(mine < other for other in tight.values()) and len(mine) >= p
    }
    return vertices, sum(any(f[1:]) for f in facets)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_linear_vertices_and_facets_are_those_of_enumeration_in_fractions(count, page):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        A, b = rng.integers(0, 8, (4, 4)), rng.integers(5, 30, 4)
        A[:, 0] += 1
        costs = rng.integers(0, 9, (count, 4)) + 1
        lp = ExactLP.of([0] * 4, (-A).tolist(), (-b).tolist(), lower=[0] * 4)
        image = outer_approximation(
            lp, [tuple(map(Fraction, map(int, c))) for c in costs], deadline=Deadline()
        )
        vertices, facets = enumerated(A, b, costs, page.rays_of)
        assert {value_of(ray) for ray in image.vertices} == vertices
        assert len(image.facets) == facets
        assert image.solves <= len(vertices) + facets
        x = cp.Variable(4, nonneg=True, name="x")
        aims = {f"f{k}": cp.Minimize(c @ x) for k, c in enumerate(costs)}
        front = lx.frontier(aims, [A @ x >= b])
        assert front.complete
        assert set(front.fractions) == vertices
        assert all(s.certificate.passed for s in front.solutions)
        page(front.proof)
        for k in range(len(front)):  # best for the weights of each of its facets
            for w in front.weights_of(k):
                assert w @ front.points[k] == pytest.approx((front.points @ w).min())


def test_a_linear_front_without_end_says_its_directions(page):
    v = cp.Variable(3, name="v")
    aims = {"a": cp.Minimize(v[0]), "b": cp.Minimize(v[1]), "c": cp.Maximize(v[2])}
    front = lx.frontier(aims, [v[:2] >= 0, v[2] <= 2 * v[0] + v[1]])
    assert front.points.tolist() == [[0, 0, 0]]
    assert sorted(front.directions.tolist()) == [[0, 1, 1], [0.5, 0, 1]]
    assert "without end in 2 directions" in str(front)
    page(front.proof)
    with pytest.raises(lx.StageError, match="unbounded"):
        lx.frontier({"a": cp.Minimize(v[0]), "b": cp.Maximize(v[0]), "c": cp.Minimize(v[1])})


@pytest.mark.parametrize("solver", [None, "EXACT"])
def test_a_linear_front_without_a_vertex_has_a_point_and_two_directions(solver, page):
    """Bensolve's third example, whose front is the line a + b = 1."""
    x = cp.Variable(3, name="x")
    aims = {"a": cp.Minimize(x[0]), "b": cp.Minimize(x[1])}
    rows = [x[0] + x[1] + x[2] >= 1, x[0] + x[1] - x[2] >= 1]
    front = lx.frontier(aims, rows, solver=solver)
    assert front.complete
    assert len(front) == 1
    assert front.points.sum() == 1
    assert sorted(front.directions.tolist()) == [[-1, 1], [1, -1]]
    assert [(f.weights.tolist(), f.value, f.points) for f in front.facets] == [
        ([0.5, 0.5], 0.5, (0,))
    ]
    assert "a point on each of its smallest faces" in str(front)
    page(front.proof)
    for key in ("lines", "rays", "points", "facets"):
        numbers = json.loads(front.proof.json)
        for part in (key, "multipliers") if key == "facets" else (key,):
            numbers[part].pop()
        with pytest.raises(page.refused):
            page(json.dumps(numbers))


def test_lines_and_vertices_of_three_objectives(page):
    """A front that goes on along a line, on both sides of which are edges known by hand."""
    x = cp.Variable(3, name="x")
    aims = {name: cp.Minimize(x[k]) for k, name in enumerate("abc")}
    front = lx.frontier(aims, [x[0] + x[1] >= 1, x[2] >= 0, cp.sum(x) >= 2])
    assert front.complete
    sums = front.points[:, 0] + front.points[:, 1]
    assert sorted(zip(sums.tolist(), front.points[:, 2].tolist(), strict=True)) == [(1, 1), (2, 0)]
    assert sorted(front.directions.tolist()) == [[-1, 1, 0], [1, -1, 0]]
    assert len(front.facets) == 3
    page(front.proof)
    with pytest.raises(lx.StageError, match="unbounded"):  # one falls, and nothing is lost by it
        lx.frontier(aims, [x[0] + x[1] >= 1])


TWOS = """11111 21111 12111 11211 11121 11112 22111 21211 21121 21112 12211 12121 12112 11221 11212
11122 22211 22121 22112 21212 21122 12221 12122 12212 11222 12222 21222 22122 22212 22221"""


def test_bensolves_unbounded_examples(page):
    """Its eighth, with the ordering cone as objectives, by hand; its eleventh has 22 directions."""
    x = cp.Variable(2, name="x")
    aims = {"a": cp.Minimize(3 * x[0] + 2 * x[1]), "b": cp.Minimize(x[0] + 3 * x[1])}
    rows = [3 * x[0] + x[1] >= 0, x[0] + 2 * x[1] >= 0, x[0] + x[1] >= 1]
    front = lx.frontier(aims, rows, solver="EXACT")
    assert [tuple(map(str, point)) for point in front.fractions] == [("3/2", "4"), ("4", "-1")]
    assert front.directions.tolist() == [[1, -0.25]]
    page(front.proof)
    y = cp.Variable(5, name="y")
    A = np.array([list(map(int, row)) for row in TWOS.split()])
    front = lx.frontier(
        {f"f{k}": cp.Minimize(y[k]) for k in range(5)}, [A @ y >= (np.arange(30) < 1)]
    )
    assert front.complete
    assert len(front.directions) == 22
    assert (A @ front.directions.T >= -1e-12).all()
    page(front.proof)


def test_fractions_on_request_for_two_objectives_too():
    x = cp.Variable(2, nonneg=True, name="x")
    aims = {"cost": cp.Minimize(3 * x[0] + x[1]), "fumes": cp.Minimize(x[0] + 4 * x[1])}
    front = lx.frontier(
        aims, [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8], solver=lx.Solver("EXACT")
    )
    assert front.fractions == ((8, 32), (Fraction(32, 3), Fraction(40, 3)), (24, 8))


def test_a_linear_front_in_parts():
    def front(**options):
        rng = np.random.default_rng(3)
        A, costs = rng.integers(0, 9, (8, 8)), rng.integers(1, 9, (3, 8))
        x = cp.Variable(8, nonneg=True, name="x")
        aims = {f"f{k}": cp.Minimize(c @ x) for k, c in enumerate(costs)}
        return lx.frontier(aims, [A @ x >= 20], **options)

    whole, part = front(), front(limit=3)
    assert len(part) == 3
    assert not part.complete
    after = front(resume=part)
    assert after.points.tolist() == whole.points.tolist()
    assert after.complete
    assert not front(time_limit=1e-9).complete


# Convex: a ball, whose front is known.


def ball(**options):
    y = cp.Variable(3, name="y")
    aims = {"a": cp.Minimize(y[0]), "b": cp.Minimize(y[1]), "c": cp.Maximize(-y[2])}
    return lx.frontier(aims, [cp.norm(y) <= 1], **options)


def test_a_convex_front_of_three_objectives_is_known_to_its_error(page):
    front = ball(error=0.02)
    assert front.complete
    assert front.error <= 0.02
    page(front.proof)
    assert np.linalg.norm(front.points, axis=1) == pytest.approx(np.ones(len(front)), abs=1e-5)
    # Every point of the sphere's octant is within the error of a mixture of the listed ones.
    rng, listed = np.random.default_rng(0), -front.points * [1, 1, -1]
    for v in np.abs(rng.normal(size=(50, 3))):
        w = v / np.linalg.norm(v)
        best = (listed @ w).max()
        assert 1.0 - best <= 0.02 * w.sum() + 1e-6
    numbers = json.loads(front.proof.json)
    numbers["hyperplanes"].pop()
    with pytest.raises(page.refused):
        page(json.dumps(numbers))


def test_a_convex_front_in_parts(page):
    part = ball(error=0.05, limit=12)
    assert not part.complete
    assert 0.05 < part.error < inf
    whole = ball(error=0.05, resume=part)
    assert whole.complete
    assert len(whole) >= len(part)
    page(whole.proof)


def test_a_point_that_another_beats_by_rounding_is_left_out():
    state = FrontState.start(np.full(2, inf), np.zeros(2))
    better = np.array([0.5, 0.25])
    for z in (np.array([0.5 + 1e-9, 0.25]), np.array([0.0, 1.0]), better):
        assert state.put(z, z)
    assert sorted(state.values.array.tolist()) == [[0.0, 1.0], [0.5, 0.25]]
    assert any(np.array_equal(x, better) for x in state.points)
    assert len(state.points) == 2
