"""Pictures of ensembles have the structure a reader needs; how they look was judged by eye."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiBoostClassifier, margin_matrix, plots
from lexiprog_boost.datasets import make_toy
from lexiprog_boost.metrics import geometric_mean_score
from tests.pictures import error_without_matplotlib

STUMP = DecisionTreeClassifier(max_depth=1)
TOY = make_toy()


@pytest.fixture(scope="module")
def model():
    return LexiBoostClassifier(STUMP, 3, random_state=0).fit(TOY.X, TOY.y)


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.array(["a", "$b$", "<b>"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    options = {"class_offsets": True, "margin_target": 0.5}
    return LexiBoostClassifier(STUMP, 6, random_state=0, **options).fit(X, y), X, y


DRAW = {
    "tug": lambda model, ax: plots.tug_of_war(model, TOY.X, TOY.y, ax=ax),
    "bars": lambda model, ax: plots.tug_of_war(model, ax=ax),
    "margins": lambda model, ax: plots.margin_distributions(model, TOY.X, TOY.y, ax=ax),
    "weights": lambda model, ax: plots.member_weights(model, ax=ax),
    "staged": lambda model, ax: plots.staged_g_mean(model, TOY.X, TOY.y, ax=ax),
}


@pytest.mark.parametrize("name", DRAW)
def test_pictures_use_the_axes_they_are_given_and_say_what_they_show(model, name):
    given = plt.subplots()[1]
    assert DRAW[name](model, given) is given
    assert given.get_title(loc="left")
    assert given.get_xlabel()
    assert given.get_ylabel()
    assert DRAW[name](model, None) is not given


def test_the_way_starts_and_ends_at_the_optima_and_passes_the_compromise(model):
    ax = plots.tug_of_war(model, TOY.X, TOY.y)
    curves = [line for line in ax.lines if line.get_label().startswith("class ")]
    middle = ax.get_xticks()[1]
    for j, curve in enumerate(curves):
        x, loss = curve.get_data()
        assert loss[0 if j == 0 else -1] == pytest.approx(model.class_optima_[j])
        assert np.interp(middle, x, loss) == pytest.approx(model.class_losses_[j])
        assert loss.min() == pytest.approx(model.class_optima_[j])
    assert [t.get_text() for t in ax.texts] == ["0.34 more\nthan its best"] * 2


def test_margins_alone_give_the_same_curves(model):
    margins = margin_matrix(model.estimators_, TOY.X, TOY.y)
    one, other = (
        [line.get_ydata() for line in ax.lines if line.get_label().startswith("class ")]
        for ax in (plots.tug_of_war(model, TOY.X, TOY.y), plots.tug_of_war(margins, y=TOY.y))
    )
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_tug_of_war_needs_both_classes(model):
    with pytest.raises(ValueError, match="both classes"):
        plots.tug_of_war(model, TOY.X[:5], TOY.y[:5])


def test_more_classes_are_bars_of_optimum_and_deviation(three_classes):
    model, X, y = three_classes
    ax = plots.tug_of_war(model, X, y)
    assert [t.get_text() for t in ax.get_yticklabels()] == [r"\$b\$", "<b>", "a"]
    optima, gaps = (np.array([bar.get_width() for bar in c]) for c in ax.containers)
    np.testing.assert_allclose(optima, model.class_optima_)
    np.testing.assert_allclose(optima + gaps, model.class_losses_)
    margins = margin_matrix(model.estimators_, X, y)
    assert len(plots.tug_of_war(margins, y=y).get_yticklabels()) == 3


def test_distributions_rise_from_nothing_to_all_and_cross_zero_at_the_share_of_mistakes(model):
    ax = plots.margin_distributions(model, TOY.X, TOY.y)
    right = model.predict(TOY.X) == TOY.y
    for j in (0, 1):
        x, share = ax.lines[j].get_data()
        assert share[0] == 0
        assert share[-1] == 1
        assert share[x < 0].max() == pytest.approx(1 - right[TOY.y == j].mean())
        assert f"{right[TOY.y == j].sum()} of " in ax.lines[j].get_label()


def test_distributions_leave_out_a_class_without_points(three_classes):
    model, X, y = three_classes
    ax = plots.margin_distributions(model, X[y != "a"], y[y != "a"])
    assert len(ax.get_legend().get_texts()) == 2


def test_bars_are_the_weights_and_offsets_have_a_colour_of_their_own(three_classes):
    model = three_classes[0]
    ax = plots.member_weights(model)
    bars = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(bars, model.estimator_weights_)
    assert [len(c) for c in ax.containers] == [len(bars) - 3, 3]
    assert ax.patches[0].get_facecolor() != ax.patches[-1].get_facecolor()
    assert ax.get_title(loc="left").startswith(f"{model.n_members_} of {len(bars)}")


def test_the_last_stage_is_the_whole_ensemble_of_ours_and_of_scikit_learn(model):
    for fitted in (model, AdaBoostClassifier(STUMP, n_estimators=4).fit(TOY.X, TOY.y)):
        ax = plots.staged_g_mean(fitted, TOY.X, TOY.y)
        last = ax.lines[-1].get_ydata()
        assert len(last) == len(fitted.estimators_)
        assert last[-1] == pytest.approx(geometric_mean_score(TOY.y, fitted.predict(TOY.X)))


def test_without_matplotlib_the_extra_is_named():
    code = "from lexiprog_boost import plots\nplots.tug_of_war([[1, -1], [-1, 1]], y=[0, 1])"
    assert error_without_matplotlib(code) == (
        "ImportError: lexiprog_boost.plots needs matplotlib: pip install 'lexiprog[plot]'."
    )
