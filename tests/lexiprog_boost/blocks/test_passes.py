"""Hinge programs by passes have the optima of the whole, to the gap that they state."""

import numpy as np
import pytest

import lexiprog as lx
from lexiprog_boost import lexicographic_weights
from lexiprog_boost.blocks import counted, cutting_planes, passes
from tests.lexiprog_boost.written_out import lexi_programs as independent


@pytest.fixture
def small(monkeypatch):
    """So little in memory that passes are needed on few points."""
    monkeypatch.setattr(cutting_planes, "NEAR", 60)
    monkeypatch.setattr(passes, "DRAWN", 60)
    monkeypatch.setattr(counted, "MOST", 50)


def probabilities(seed, *, points=900, members=5, offsets=False, digits=None):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=points, p=[0.7, 0.2, 0.1])
    skill = rng.uniform(0.0, 0.5, size=(3, members))
    M = np.tanh(skill[y] + 0.3 * rng.normal(size=(points, 1)) + rng.normal(size=(points, members)))
    if digits is not None:
        M = M.round(digits)
    if offsets:
        M = np.hstack([M, np.where(np.arange(3) == y[:, None], 1.0, -1.0)])
    return M, y


def blocks_of(M, y, weights=None, rows=128):
    cuts = [slice(start, start + rows) for start in range(0, len(y), rows)]
    weights = np.ones(len(y)) if weights is None else weights
    return [(M[cut], y[cut], weights[cut]) for cut in cuts]


@pytest.mark.parametrize("offsets", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.usefixtures("small")
def test_the_optima_are_those_of_scipy_on_all_points(seed, offsets):
    M, y = probabilities(seed, offsets=offsets)
    found = lexicographic_weights(blocks_of(M, y), margin_target=0.3)
    assert found.reduction == "passes"
    assert found.passes <= 40
    assert found.gap <= 3e-6
    optima = [independent.class_optimum(M, y, j, theta=0.3) for j in range(3)]
    np.testing.assert_allclose(found.class_optima, optima, atol=3e-7)
    truth = independent.balance(M, y, optima, theta=0.3)
    assert found.chi == pytest.approx(truth, rel=3e-6, abs=1e-8)
    losses = [np.maximum(0.3 - M[y == j] @ found.alpha, 0).mean() for j in range(3)]
    np.testing.assert_allclose(found.class_losses, losses, atol=1e-12)
    assert found.alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "options",
    [
        {"class_costs": [1, 2, 3]},
        {"weight_cap": 0.3},
        {"class_optima": [0.1, 0.05, 0.0]},
        {"tie_break": "leximax"},
        {"tie_break": ("closest", 0.02), "pool_weights": np.full(5, 0.2)},
    ],
)
@pytest.mark.usefixtures("small")
def test_every_option_means_what_it_means_in_memory(options):
    M, y = probabilities(5)
    weights = np.random.default_rng(5).uniform(0.5, 2, len(y))
    weights[::50] = 0.0
    found = lexicographic_weights(blocks_of(M, y, weights), margin_target=0.4, **options)
    whole = lexicographic_weights(M, y, sample_weight=weights, margin_target=0.4, **options)
    assert found.chi == pytest.approx(whole.chi, rel=3e-6)
    np.testing.assert_allclose(found.alpha, whole.alpha, atol=1e-4)


@pytest.mark.usefixtures("small")
def test_ties_at_the_target_only_take_more_passes():
    M, y = probabilities(7, digits=1)
    found = lexicographic_weights(blocks_of(M, y), margin_target=0.3)
    whole = lexicographic_weights(M, y, margin_target=0.3)
    assert found.chi == pytest.approx(whole.chi, rel=3e-6)
    assert found.gap <= 3e-6


@pytest.mark.usefixtures("small")
def test_the_sample_does_not_change_the_optimum():
    M, y = probabilities(8)
    blocks = blocks_of(M, y)
    one, other = (lexicographic_weights(b, margin_target=0.3) for b in (blocks, blocks[::-1]))
    assert one.chi == pytest.approx(other.chi, rel=3e-6)
    np.testing.assert_allclose(one.alpha, other.alpha, atol=1e-4)


@pytest.mark.usefixtures("small")
def test_too_few_passes_are_an_error_that_states_the_gap():
    M, y = probabilities(9)
    with pytest.raises(lx.LexiprogError, match=r"after 4 passes the gap is .*max_passes"):
        lexicographic_weights(blocks_of(M, y), margin_target=0.3, max_passes=4)


@pytest.mark.usefixtures("small")
def test_what_is_brought_along_is_bounded_and_passes_are_counted():
    M, y = probabilities(10, points=3000)
    seen = []

    class Counting(list):
        def __iter__(self):
            seen.append(1)
            return super().__iter__()

    found = lexicographic_weights(Counting(blocks_of(M, y)), margin_target=0.3)
    assert len(seen) == found.passes
    assert found.program["balance"].variable("losses").size <= 4 * cutting_planes.NEAR
