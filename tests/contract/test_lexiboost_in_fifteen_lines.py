"""LexiBoost's P_j and Q: each class's least hinge loss, then the least worst deviation from it."""

import inspect

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def lexiboost(margins, y, target=1.0):
    classes = np.unique(y)
    alpha = cp.Variable(margins.shape[1], nonneg=True, name="alpha")
    loss = cp.Variable(len(y), nonneg=True, name="loss")
    chi = cp.Variable(name="chi")
    shared = [target - margins @ alpha <= loss, cp.sum(alpha) == 1]
    mean = {label: cp.sum(loss[y == label]) / np.sum(y == label) for label in classes}
    best = {c: lx.Subproblem(f"class {c}", cp.Minimize(mean[c]), shared) for c in classes}
    near = [mean[c] - best[c].optimum <= chi for c in classes]
    balance = lx.Subproblem("balance", cp.Minimize(chi), [*near, *shared, chi >= 0])
    return lx.Program(lx.Stage("classes", *best.values()), lx.Stage("balance", balance))


def votes(seed, points=60, components=6, classes=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate(
        [np.arange(classes), rng.choice(classes, points - classes, p=[0.7, 0.2, 0.1])]
    )
    right = rng.random((points, components)) < 0.5 + 0.3 * rng.random((classes, components))[y]
    return np.where(right, 1.0, -1.0), y


def by_linprog(margins, y, target):
    """Return every L_j and chi by scipy, the columns being alpha, the losses and chi."""
    points, components = margins.shape
    classes = np.unique(y)
    hinge = np.hstack([-margins, -np.eye(points), np.zeros((points, 1))])
    simplex = np.concatenate([np.ones(components), np.zeros(points + 1)])[None]
    mean = np.zeros((len(classes), components + points + 1))
    for row, label in enumerate(classes):
        mean[row, components : components + points] = (y == label) / np.sum(y == label)
    common = {"A_eq": simplex, "b_eq": [1.0]}
    limit = np.full(points, -target)
    optima = np.array([linprog(row, hinge, limit, **common).fun for row in mean])
    near = mean.copy()
    near[:, -1] = -1.0
    chi = np.concatenate([np.zeros(components + points), [1.0]])
    balance = linprog(chi, np.vstack([hinge, near]), np.concatenate([limit, optima]), **common)
    return optima, balance.fun


def test_lexiboost_is_declared_in_at_most_fifteen_lines():
    lines = [line for line in inspect.getsource(lexiboost).splitlines() if line.strip()]
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("seed", range(4))
def test_with_hard_votes_the_class_optima_are_the_closed_form_and_chi_is_the_matrix_game(seed):
    margins, y = votes(seed)
    result = lexiboost(margins, y).solve()
    means = np.array([margins[y == label].mean(axis=0) for label in np.unique(y)])
    optima = [result[f"class {label}"].value for label in np.unique(y)]
    np.testing.assert_allclose(optima, 1 - means.max(axis=1), atol=1e-7)

    components = means.shape[1]
    game = linprog(
        [*np.zeros(components), 1.0],
        np.hstack([-means, -np.ones((len(means), 1))]),
        -means.max(axis=1),
        A_eq=[[*np.ones(components), 0.0]],
        b_eq=[1.0],
    )
    assert result.final.value == pytest.approx(game.fun, abs=1e-7)


@pytest.mark.parametrize("solver", [None, "CLARABEL", "ECOS"])
def test_with_a_margin_target_below_one_every_optimum_is_that_of_linprog(solver):
    margins, y = votes(7)
    result = lexiboost(margins, y, target=0.4).solve(solver)
    optima, chi = by_linprog(margins, y, 0.4)
    assert min(optima) > 0 or chi > 0
    ours = [result[f"class {label}"].value for label in np.unique(y)]
    np.testing.assert_allclose(ours, optima, atol=2e-6)
    assert result.final.value == pytest.approx(chi, abs=2e-6)
    assert result.final["alpha"].sum() == pytest.approx(1, abs=1e-6)
