"""Problems over every cone whose optimum is known exactly, because they are built around it.

A point, a slack and multipliers that are complementary are chosen first, in whole numbers; the
right-hand sides and costs that make them optimal are then whole numbers, too.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import highspy
import numpy as np
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm

# For each cone complementary pairs (slack, multipliers) in whole numbers.
PAIRS = {
    "soc": [([5, 3, 4], [5, -3, -4]), ([13, 5, 12], [0, 0, 0]), ([0, 0, 0], [25, 7, 24])],
    "psd": [([3, 0, 0], [0, 0, 2]), ([0, 0, 0], [2, 0, 5]), ([4, 0, 1], [0, 0, 0])],
    "exp": [([0, 1, 1], [-1, -1, 1]), ([-3, 0, 2], [0, 4, 0]), ([0, 2, 5], [0, 0, 0])],
    "power": [([4, 1, 2], [1, 4, -4]), ([0, 5, 0], [3, 0, 0]), ([9, 4, 1], [0, 0, 0])],
}


@dataclass(frozen=True)
class Known:
    """A problem with its optimal point, multipliers and value."""

    form: StandardForm
    x: np.ndarray
    z: np.ndarray
    optimum: Fraction


def known(seed, *, kinds=(), quadratic=False, free=False, integers=False, columns=(3, 9)):
    """A random problem with equations, inequalities, the cones named and a known optimum."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(*columns))
    zero, nonneg = (int(rng.integers(1, n)) for _ in range(2))
    slack, z = [np.zeros(zero)], [rng.integers(-3, 4, zero).astype(float)]
    tight = rng.random(nonneg) < 0.6
    slack.append(np.where(tight, 0, rng.integers(1, 9, nonneg)).astype(float))
    z.append(np.where(tight, rng.integers(0, 5, nonneg), 0).astype(float))
    for kind in kinds:
        pair = PAIRS[kind][rng.integers(len(PAIRS[kind]))]
        slack.append(np.array(pair[0], float))
        z.append(np.array(pair[1], float))
    slack, z = np.concatenate(slack), np.concatenate(z)
    A = rng.integers(-4, 5, (z.size, n)) * (rng.random((z.size, n)) < 0.7)
    x = rng.integers(-5, 6, n).astype(float)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    push = np.zeros(n)
    if not free:
        side = rng.choice([-1, 0, 1], n)
        lower = np.where(side == -1, x, x - rng.integers(1, 9, n))
        upper = np.where(side == 1, x, x + rng.integers(1, 9, n))
        push = -side * rng.integers(0, 4, n)
    P = None
    if quadratic:
        root = rng.integers(-2, 3, (n, n)) * (rng.random((n, n)) < 0.4)
        P = sp.csc_array((root @ root.T).astype(float))
    slope = np.zeros(n) if P is None else P @ x
    offset = float(rng.integers(-9, 10))
    form = StandardForm(
        c=push - slope - A.T @ z,
        offset=offset,
        A=sp.csc_array(A.astype(float)),
        b=A @ x + slack,
        cones=Cones(
            zero=zero,
            nonneg=nonneg,
            soc=(3,) * kinds.count("soc"),
            psd=(2,) * kinds.count("psd"),
            exp=kinds.count("exp"),
            power=((0.5, 0.5),) * kinds.count("power"),
        ),
        P=P if P is not None and P.nnz else None,
        lower=lower,
        upper=upper,
        integer=np.flatnonzero(rng.random(n) < 0.5) if integers else None,
    )
    return Known(form, x, z, Fraction(form.objective(x)))


def in_units(problem, rng, base=10.0, *, rows=0, columns=0, cost=0):
    """The same problem with rows, columns' units and objective times powers of ``base``."""
    form, cones = problem.form, problem.form.cones
    leads = np.arange(form.b.size)
    leads[cones.linear :] -= np.arange(form.b.size - cones.linear) % 3  # all cones have three rows
    R = base ** rng.integers(-rows, rows + 1, form.b.size)[leads]
    C = base ** rng.integers(-columns, columns + 1, form.c.size)
    if form.integer is not None:
        C[form.integer] = 1.0
    k = base ** rng.integers(-cost, cost + 1)
    changed = replace(
        form,
        c=form.c * C * k,
        offset=form.offset * k,
        A=sp.csc_array(sp.diags_array(R) @ form.A @ sp.diags_array(C)),
        b=form.b * R,
        P=None
        if form.P is None
        else sp.csc_array(sp.diags_array(C * k) @ form.P @ sp.diags_array(C)),
        lower=form.lower / C,
        upper=form.upper / C,
    )
    return Known(changed, problem.x / C, problem.z / R * k, problem.optimum * Fraction(k)), k


def highs(form, **options):
    """HiGHS's point and multipliers, in the sign of the standard form; None if not optimal."""
    A = sp.csc_array(form.A)
    rows, columns = A.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = columns, rows
    model.col_cost_, model.col_lower_, model.col_upper_ = form.c, form.lower, form.upper
    below = np.full(rows, -np.inf)
    below[: form.cones.zero] = form.b[: form.cones.zero]
    model.row_lower_, model.row_upper_ = below, form.b
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = A.indptr, A.indices
    model.a_matrix_.value_ = A.data
    if form.integer is not None:
        kinds = [highspy.HighsVarType.kContinuous] * columns
        for j in form.integer:
            kinds[j] = highspy.HighsVarType.kInteger
        model.integrality_ = kinds
    solver = highspy.Highs()
    for name, value in {"output_flag": False, "mip_rel_gap": 0.0, **options}.items():
        solver.setOptionValue(name, value)
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    return np.array(solution.col_value), -np.array(solution.row_dual)
