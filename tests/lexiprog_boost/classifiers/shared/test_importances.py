"""Columns by what they are worth: to the members that can tell, in reports and pictures."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiEnsembleClassifier, plots
from lexiprog_boost.classifiers.shared.importances import columns_by_importance

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=(200, 2))
Y = (RNG.random(200) < 0.2).astype(int)
FRAME = pd.DataFrame({"noise": NOISE[:, 0], "<b>signal": Y + 0.05 * NOISE[:, 1], "none": 0.0})


@pytest.fixture(scope="module")
def model():
    members = [RandomForestClassifier(20, random_state=0), GaussianNB()]
    return LexiEnsembleClassifier(members, random_state=0).fit(FRAME, Y)


def test_the_column_that_decides_is_first_and_called_by_its_name(model):
    columns = columns_by_importance(model)
    assert columns[0][0] == "<b>signal"
    assert columns[0][1] > 0.6
    assert columns[-1] == ("none", 0.0)
    assert sum(value for _, value in columns) == pytest.approx(1)


def test_columns_without_names_have_numbers():
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=1).fit(X[:, :3], y)
    assert {name for name, _ in columns_by_importance(tree)} == {"x0", "x1", "x2"}


def test_the_report_shows_columns_only_where_a_member_has_importances(model):
    report = model.report()
    assert "columns: " in report
    assert "(<b>signal), " in report
    assert '<th class="lxb-number">importance</th>' in report.html
    assert "&lt;b&gt;signal" in report.html
    assert "<b>signal" not in report.html
    plain = LexiEnsembleClassifier([GaussianNB()], random_state=0).fit(FRAME, Y)
    assert columns_by_importance(plain) == []
    assert "columns: " not in plain.report()
    assert "importance" not in plain.report().html


def test_the_picture_has_the_most_important_column_on_top(model):
    ax = plots.feature_importances(model, most=2)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["noise", "<b>signal"]
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [value for _, value in columns_by_importance(model)[:2]][::-1]


def test_permutation_importances_are_drawn_with_their_spread(model):
    found = permutation_importance(model, FRAME, Y, n_repeats=3, random_state=0)
    ax = plots.feature_importances(model, found)
    assert ax.patches[-1].get_width() == found.importances_mean[1] == found.importances_mean.max()
    ((start, end),) = ax.collections[0].get_segments()[-1][:, 0][None]
    assert (end - start) / 2 == pytest.approx(found.importances_std[1])


def test_what_cannot_be_drawn_is_said(model):
    plain = LexiEnsembleClassifier([GaussianNB()], random_state=0).fit(FRAME, Y)
    with pytest.raises(ValueError, match="permutation_importance"):
        plots.feature_importances(plain)
    with pytest.raises(ValueError, match="one number for each of the 3 columns"):
        plots.feature_importances(model, [1.0, 2.0])
