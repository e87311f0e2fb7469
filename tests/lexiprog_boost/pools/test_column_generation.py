"""Column generation solves the program over everything its learner can find, and proves it."""

import numpy as np
import pytest

from lexiprog_boost import (
    DualLPAdaBoostClassifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
    margin_matrix,
)
from lexiprog_boost.pools import Convergence
from tests.lexiprog_boost.written_out import soft_margins as written_out
from tests.lexiprog_boost.written_out.stumps import BestStump, all_margins, small_problem

# Model, and the bounds on D for n points of which `rare` belong to the target class.
SETTINGS = {
    "A1'": (DualLPAdaBoostClassifier(), lambda n, rare: (None, None)),
    "A2'": (DualLPBoostClassifier(nu=0.4), lambda n, rare: (np.full(n, 1 / (0.4 * n)), None)),
    "A3'": (
        DualLPUBoostClassifier(nu=0.5, beta=3, target=0, lower_bound=0.04),
        lambda n, rare: (
            np.where(rare, 3, 1) / (0.5 * n),
            0.04 * np.where(rare, 3, 1) / (0.5 * n),
        ),
    ),
}


def fitted(name, X, y, **settings):
    model = SETTINGS[name][0]
    return type(model)(
        **{**model.get_params(), "estimator": BestStump(), "n_estimators": 100, **settings}
    ).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", SETTINGS)
def test_the_optimum_over_all_stumps_is_reached_and_certified(name, n_classes):
    X, y = small_problem(0, n_classes=n_classes)
    model = fitted(name, X, y)
    upper, lower = SETTINGS[name][1](len(y), y == 0)
    best = written_out.dual(all_margins(X, y), upper, lower)[0]
    assert model.history_["s"][-1] == pytest.approx(best, abs=2e-6)
    assert model.convergence_.reached
    assert model.convergence_.next_edge <= best + 2e-6
    assert "no larger edge" in model.stopped_


@pytest.mark.parametrize("name", SETTINGS)
def test_history_tells_edge_s_and_rho_of_every_member(name):
    X, y = small_problem(1)
    model = fitted(name, X, y)
    upper, lower = SETTINGS[name][1](len(y), y == 0)
    margins = margin_matrix(model.estimators_, X, y)
    for t in range(1, len(model.estimators_) + 1):
        optimum, _ = written_out.primal(margins[:, :t], upper, lower)
        assert model.history_["s"][t - 1] == pytest.approx(optimum, abs=1e-7)
    assert (np.diff(model.history_["s"]) >= -1e-9).all()
    assert (model.history_["edge"][1:] > model.history_["s"][:-1]).all()
    # rho is the primal's r: no other margin does better with the final weights.
    alpha, r = model.estimator_weights_, model.margin_
    assert r == pytest.approx(model.history_["rho"][-1])
    assert _value(margins @ alpha, r, upper, lower) == pytest.approx(
        model.history_["s"][-1], abs=1e-6
    )


def _value(rho, r, upper, lower):
    """The primal's objective at r: A1 pays any price for a point below."""
    if upper is None:
        return r if (rho >= r - 1e-7).all() else -np.inf
    low = 0.0 if lower is None else lower
    return r - (upper * np.maximum(r - rho, 0)).sum() + (low * np.maximum(rho - r, 0)).sum()


@pytest.mark.parametrize("name", SETTINGS)
def test_point_weights_keep_their_bounds_and_sum_to_one(name):
    X, y = small_problem(2)
    model = fitted(name, X, y)
    upper, lower = SETTINGS[name][1](len(y), y == 0)
    assert model.point_weights_.sum() == pytest.approx(1)
    assert (model.point_weights_ <= (1 if upper is None else upper) + 1e-7).all()
    assert (model.point_weights_ >= (0 if lower is None else lower) - 1e-7).all()


def test_rounds_that_run_out_certify_nothing():
    X, y = small_problem(0)
    model = fitted("A2'", X, y, n_estimators=2)
    assert len(model.estimators_) == 2
    assert model.convergence_.next_edge is None
    assert not model.convergence_.reached
    assert "all 2 rounds" in model.stopped_


def test_neither_the_solver_nor_its_choice_of_optimum_changes_the_model():
    X, y = small_problem(3)
    models = [
        DualLPBoostClassifier(BestStump(), 4, nu=0.4, solver=s).fit(X, y)
        for s in ("HIGHS", "CLARABEL")
    ]
    assert models[0].estimator_weights_ == pytest.approx(models[1].estimator_weights_, abs=1e-5)
    assert models[0].point_weights_ == pytest.approx(models[1].point_weights_, abs=1e-5)


def test_without_a_tie_break_the_multipliers_are_the_solvers_and_optimal_too():
    X, y = small_problem(4)
    model = fitted("A2'", X, y, tie_break=None)
    best = written_out.dual(all_margins(X, y), np.full(len(y), 1 / (0.4 * len(y))))[0]
    rho = margin_matrix(model.estimators_, X, y) @ model.estimator_weights_
    value = _value(rho, model.margin_, np.full(len(y), 1 / (0.4 * len(y))), None)
    assert value == pytest.approx(best, abs=2e-6)


def test_a_certificate_needs_a_next_edge_within_the_tolerance():
    assert Convergence(0.3 + 1e-7, 0.3, 1e-6).reached
    assert not Convergence(0.31, 0.3, 1e-6).reached
