"""Certificates pass for true optima and fail for anything that is a little off."""

from dataclasses import replace
from functools import cache

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog import cvxpy_adapter
from lexiprog.canon.cones import distances
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.measures import measure, prove

RNG = np.random.default_rng(7)
A = RNG.uniform(0.5, 2.0, size=(4, 3))
C = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 3.0]])


def problems():
    """One problem for each cone and class; every variable matters to the optimum."""
    x = cp.Variable(3, name="x")
    y = cp.Variable(3, bounds=[0.5, 4], name="y")
    X = cp.Variable((3, 3), symmetric=True, name="X")
    k = cp.Variable(3, integer=True, bounds=[0, 9], name="k")
    b = cp.Variable(4, boolean=True, name="b")
    return {
        "LP": (cp.Minimize(cp.sum(x)), [A @ x >= 1, x >= 0.01]),
        "LP with bounds": (cp.Maximize(y[0] + 2 * y[1] - y[2]), [cp.sum(y) <= 7]),
        "QP": (cp.Minimize(cp.sum_squares(x - 1)), [A @ x >= 5]),
        "SOCP": (cp.Minimize(cp.sum(x)), [cp.norm(x - 3) <= 2]),
        "SDP": (cp.Minimize(cp.trace(X)), [X - C >> 0, X[0, 1] == 2]),
        "exponential": (cp.Minimize(cp.sum(cp.exp(x))), [x[0] + 2 * x[1] + x[2] >= 1]),
        "power": (cp.Maximize(x[2]), [cp.PowCone3D(x[0], x[1], x[2], 0.3), x[0] + x[1] <= 1]),
        "power nd": (
            cp.Maximize(x[2]),
            [cp.PowConeND(y, x[2], np.array([0.2, 0.3, 0.5])), cp.sum(y) <= 5, cp.sum(x) == 9],
        ),
        "MILP": (cp.Maximize(k @ [3, 2, 4]), [k @ [3, 4, 5] <= 22.5]),
        "binary": (cp.Maximize(b @ [3.0, 2.5, 4.0, 1.5]), [b @ [2, 3, 4, 1] <= 6]),
    }


CLASSES = list(problems())
CONTINUOUS = [name for name in CLASSES if name not in ("MILP", "binary")]


@cache
def solved(name, solver=None):
    """Form, answer and certificate of one problem, straight from the solver's numbers."""
    objective, constraints = problems()[name]
    problem = cp.Problem(objective, constraints)
    solver = solver or ("HIGHS" if problem.is_lp() else "CLARABEL")
    options = {"eps_abs": 1e-10, "eps_rel": 1e-10} if solver == "SCS" else {}
    compiled = cvxpy_adapter.Prepared(problem).compile(solver, options)
    answer = cvxpy_adapter.interpret(compiled, cvxpy_adapter.run(compiled, options))
    return compiled.scaled, answer


def check(form, answer):
    return measure(form, answer.x, answer.z, claimed=answer.claimed, bound=answer.bound).certificate


def proved(form, answer):
    """What lies near the answer counts too, where there are multipliers."""
    if answer.z is None:
        return check(form, answer)
    return prove(form, answer.x, answer.z, claimed=answer.claimed).measures.certificate


@pytest.mark.parametrize("name", CLASSES)
def test_a_true_optimum_is_certified(name):
    certificate = proved(*solved(name))
    assert certificate.passed, str(certificate)
    assert certificate.worst <= 1e-7


@pytest.mark.parametrize("solver", ["ECOS", "SCS"])
@pytest.mark.parametrize("name", ["LP", "QP", "SOCP", "exponential"])
def test_multipliers_of_every_interface_are_read_in_the_right_order(name, solver):
    certificate = proved(*solved(name, solver))
    assert certificate.passed, str(certificate)


def off_by_a_thousandth(numbers, seed):
    rng = np.random.default_rng(seed)
    push = rng.choice([-1.0, 1.0], size=numbers.size) * rng.uniform(0.5, 1.0, numbers.size)
    return numbers + 1e-3 * push * np.maximum(np.abs(numbers), 0.1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", CLASSES)
def test_a_point_off_by_a_thousandth_is_refused(name, seed):
    form, answer = solved(name)
    moved = off_by_a_thousandth(answer.x, seed)
    # The claim moves along, so that only the point itself can give the lie away.
    false = replace(answer, x=moved, claimed=form.objective(moved))
    assert not check(form, false).passed


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", CONTINUOUS)
def test_multipliers_off_by_a_thousandth_are_refused(name, seed):
    form, answer = solved(name)
    assert not check(form, replace(answer, z=off_by_a_thousandth(answer.z, seed))).passed


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("name", CLASSES)
def test_a_claimed_optimum_off_by_a_thousandth_is_refused(name, sign):
    form, answer = solved(name)
    false = answer.claimed + sign * 1e-3 * max(abs(answer.claimed), 0.1)
    assert not check(form, replace(answer, claimed=false)).passed


def test_an_integer_point_far_from_its_bound_is_refused_unless_that_gap_is_accepted():
    form, answer = solved("MILP")
    early = replace(answer, bound=answer.claimed * 1.05)
    assert set(check(form, early).failures) == {"gap"}
    accepted = measure(form, early.x, None, claimed=early.claimed, bound=early.bound,
                       gap_tolerance=0.1).certificate  # fmt: skip
    assert accepted.passed
    assert accepted.gap > 0.01


def test_a_point_without_multipliers_or_bound_is_never_certified():
    form, answer = solved("LP")
    assert "gap" in measure(form, answer.x, None, claimed=answer.claimed).certificate.failures


def test_not_a_number_fails_every_comparison():
    form, answer = solved("LP")
    assert not check(form, replace(answer, x=answer.x * np.nan)).passed
    assert not check(form, replace(answer, claimed=np.nan)).passed


@pytest.mark.parametrize(
    ("cones", "inside", "outside", "distance"),
    [
        (Cones(zero=1), [0.0], [0.25], 0.25),
        (Cones(nonneg=1), [3.0], [-2.0], 2.0),
        (Cones(soc=(3,)), [5.0, 3.0, 4.0], [4.0, 3.0, 4.0], 1.0),
        (Cones(psd=(2,)), [2.0, np.sqrt(2), 2.0], [1.0, 2 * np.sqrt(2), 1.0], 1.0),
        (Cones(exp=1), [1.0, 1.0, np.e], [0.0, 1.0, 0.5], 0.5),
        (Cones(power=((0.5, 0.5),)), [4.0, 1.0, -2.0], [4.0, 1.0, 3.0], 1.0),
    ],
)
def test_distances_to_cones_are_those_worked_by_hand(cones, inside, outside, distance):
    assert distances(cones, np.array(inside)).max() == pytest.approx(0.0, abs=1e-12)
    assert distances(cones, np.array(outside)).max() == pytest.approx(distance)


@pytest.mark.parametrize(
    ("cones", "inside", "outside"),
    [
        (Cones(zero=1), [-7.0], None),
        (Cones(nonneg=1), [1.0], [-1.0]),
        # The dual exponential cone has -u exp(v/u - 1) <= w: at u = -1, v = 0 that is exp(-1).
        (Cones(exp=1), [-1.0, 0.0, np.exp(-1.0)], [-1.0, 0.0, 0.1]),
        # (u/a)^a (v/(1-a))^(1-a) >= |w|: at a = 1/2, u = v = 1 the left side is 2.
        (Cones(power=((0.5, 0.5),)), [1.0, 1.0, 2.0], [1.0, 1.0, 2.5]),
    ],
)
def test_distances_to_dual_cones_are_those_worked_by_hand(cones, inside, outside):
    assert distances(cones, np.array(inside), dual=True).max() == pytest.approx(0.0, abs=1e-12)
    if outside is not None:
        assert distances(cones, np.array(outside), dual=True).max() > 0.05


def test_the_certificate_of_a_result_says_what_it_rests_on():
    x = cp.Variable(2, name="x", integer=True, bounds=[0, 5])
    y = cp.Variable(name="y")
    whole = lx.Subproblem("whole", cp.Maximize(cp.sum(x)), [x[0] + 2 * x[1] <= 6])
    real = lx.Subproblem("real", cp.Minimize(y), [y >= 1])
    result = lx.Program(lx.Stage("both", whole, real)).solve()
    assert result["whole"].certificate.basis == "incumbent"
    assert result["real"].certificate.basis == "duals"
    certificate = result["real"].certificate
    low, high = certificate.interval
    assert 1.0 - 1e-14 < low <= 1.0 == high  # floats may leave some roundings below
    exact = replace(certificate, interval=(1.0, high))
    assert str(exact) == "optimal for data within 0 of yours, value within [1, 1]"


def test_a_blank_certificate_is_a_proof_and_one_at_its_tolerance_still_is():
    blank = Certificate()
    assert set(blank.measures.values()) == {0.0}
    assert blank.passed
    assert blank.proved
    assert Certificate(gap=1e-6).proved
    accepted = Certificate(gap=2e-6, gap_tolerance=1e-3)
    assert accepted.passed
    assert not accepted.proved
    assert not Certificate(integrality=1e-12).passed


def test_words_say_for_which_data_it_is_optimal_or_what_failed():
    found = Certificate(rows=2e-16, interval=(2.0, 2.0000001))
    assert found.words == (
        "Optimal for data within 2e-16 of yours, value within [2, 2.0000001] "
        "(proved by its multipliers)."
    )
    assert Certificate(gap=0.5).words == "not certified: gap 5.0e-01 (up to 1e-06)."
    accepted = Certificate(gap=0.01, gap_tolerance=0.1, interval=(0.99, 1.0), basis="incumbent")
    assert str(accepted) == "feasible for data within 0 of yours, value within [0.99, 1]"
    assert str(Certificate(basis="exact")) == "optimal for your data"


def test_a_certificate_shows_every_measure_beside_its_limit_and_marks_what_failed():
    shown = Certificate(gap=0.5)._repr_html_()
    assert all(f">{name}<" in shown for name in Certificate().measures)
    assert shown.count("lx-bad") > Certificate()._repr_html_().count("lx-bad")
    assert Certificate().summary.numeric == {"found", "accepted up to"}
    rows = {row[0].text: row[1:] for row in Certificate(gap=0.5).summary.rows}
    assert [(name, row[0].tone) for name, row in rows.items() if row[0].tone != "good"] == [
        ("gap", "bad")
    ]
    assert [cell.text for cell in rows["gap"]] == ["5e-1", "1e-6"]


def free_column(cost):
    """Minimise a column that nothing bounds."""
    form = StandardForm(np.array([cost]), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones())
    return measure(form, np.zeros(1), np.zeros(0), claimed=0.0)


def test_where_a_column_has_no_end_and_a_cost_nothing_is_proved():
    assert free_column(0.0).certificate.proved
    found = free_column(3.0)
    assert found.certificate.columns == 1.0  # all of its terms are left
    assert (found.certificate.gap, found.bound) == (np.inf, None)


@pytest.mark.parametrize(("size", "wanted"), [(0.0, 1.0), (4.0, 1.25e-4), (4e9, 1.25e-13)])
def test_a_violated_row_is_compared_with_its_terms(size, wanted):
    """x <= size at x = size + 1e-3, whatever the size: zero has no terms but the violation."""
    form = StandardForm(np.zeros(1), 0.0, sp.csc_array([[1.0]]), np.array([size]), Cones(nonneg=1))
    found = measure(form, np.array([size + 1e-3]), np.zeros(1), claimed=0.0).certificate
    assert found.rows == pytest.approx(wanted, rel=1e-2)


@pytest.mark.parametrize(("integer", "basis"), [([0], "incumbent"), ([], "bound")])
def test_without_multipliers_a_certificate_rests_on_a_bound(integer, basis):
    whole = np.array(integer, dtype=np.intp)
    form = StandardForm(np.ones(1), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones(),
                        lower=np.ones(1), integer=whole)  # fmt: skip
    found = measure(form, np.ones(1), None, claimed=1.0, bound=1.0).certificate
    assert (found.basis, found.gap) == (basis, 0.0)


LIMITS = {
    "rows": 1e-9, "columns": 1e-5, "cones": 1e-5, "slackness": 1e-9, "gap": 1e-2, "claim": 1e-4,
    "integrality": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_each_measure_has_its_limit(name):
    limits = {"tolerance": 1e-4, "gap_tolerance": 1e-2, "row_tolerance": 1e-9}
    at = Certificate(**limits, **{name: LIMITS[name] * (1 - 1e-12)})
    assert at.failures == {}
    assert at.passed
    beyond = Certificate(**limits, **{name: LIMITS[name] * (1 + 1e-12) + 1e-300})
    assert beyond.failures == {name: getattr(beyond, name)}
    assert not beyond.passed
    none = Certificate(**limits, **{name: np.nan})
    assert list(none.failures) == [name]
    shown = {row[0].text: row[2].text for row in at.summary.rows}
    assert shown[name] == f"{LIMITS[name]:.0e}".replace("e-0", "e-").replace("0e+00", "0")
    # Near: all may be off by as much as the data; a gap may be any.
    assert Certificate(**limits, **{name: 0.9e-5}).near
    far = Certificate(**limits, **{name: 2e-4})
    assert far.near is (name == "gap")
    assert not none.near or name == "gap"
    assert at.worst == getattr(at, name)
    assert np.isnan(none.worst)
    assert np.isnan(none.nearness) == (name in ("rows", "columns", "cones", "slackness"))
    assert far.nearness == (2e-4 if name in ("rows", "columns", "cones", "slackness") else 0.0)


def test_slackness_is_no_less_than_rows_are_and_no_more_than_the_data():
    assert not Certificate(slackness=2e-8, tolerance=1e-7, row_tolerance=1e-3).passed
    assert Certificate(slackness=0.9e-8, tolerance=1e-7, row_tolerance=1e-3).passed
    assert Certificate(rows=1e-7).passed
    assert Certificate(gap=1e-6, claim=1e-6, columns=1e-7, cones=1e-7, slackness=1e-7).passed


def test_a_point_without_a_bound_may_have_any_gap():
    point = Certificate(gap=np.nan, basis="point")
    assert point.passed
    assert not point.proved
    assert not Certificate(gap=np.nan, basis="incumbent").passed


@pytest.mark.parametrize(
    ("old", "new"), [("primal", "rows"), ("dual", "columns"), ("cone", "cones")]
)
def test_former_names_still_answer_and_say_so(old, new):
    certificate = Certificate(rows=1.0, columns=2.0, cones=3.0)
    with pytest.warns(FutureWarning, match=rf"certificate\.{old} is now certificate\.{new}"):
        assert getattr(certificate, old) == getattr(certificate, new)


@pytest.mark.parametrize(
    ("ends", "digits"),
    [
        ((1.0, 2.0), "1, 2"),
        ((1.000001, 2.0), "1, 2"),
        ((1.0000001, 1.0000002), "1.0000001, 1.0000002"),
        ((1.0, 1.000001), "1, 1.000001"),
        ((1.00001, 1.00002), "1.00001, 1.00002"),
        ((1.0, 1.0 + 2.0**-52), "1, 1.0000000000000002"),
        ((1 / 3, 1 / 3), "0.3333333333, 0.3333333333"),
    ],
)
def test_both_ends_have_the_digits_that_tell_them_apart(ends, digits):
    found = str(Certificate(interval=ends))
    assert found == f"optimal for data within 0 of yours, value within [{digits}]"


def test_an_optimum_without_an_interval_and_a_local_one():
    assert str(Certificate(columns=2e-9)) == "optimal for data within 2e-9 of yours"
    assert str(Certificate(basis="local")) == "locally optimal for data within 0 of yours"
