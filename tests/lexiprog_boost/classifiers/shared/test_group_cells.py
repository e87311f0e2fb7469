"""Classes in groups: the programs over cells, against scipy; what is told and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import lexiprog as lx
from lexiprog_boost import LexiEnsembleClassifier, margin_matrix
from tests.lexiprog_boost.written_out.lexi_programs import balance, class_optimum

X, Y = make_classification(300, 6, n_informative=4, weights=[0.8], flip_y=0.1, random_state=3)
# The second group's rare class lies elsewhere.
GROUPS = np.where(np.arange(300) % 3 == 0, "north", "south")
X[(GROUPS == "north") & (Y == 1)] += 1.5
MEMBERS = [
    ("bayes", GaussianNB()), ("linear", LogisticRegression()),
    ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
]  # fmt: skip
PAPER = {"margin": "proba", "margins_from": "train", "class_offsets": False, "calibrate": False}


@pytest.fixture(scope="module")
def fitted():
    model = LexiEnsembleClassifier(MEMBERS, margin_target=0.6, random_state=0, **PAPER)
    return model.fit(X, Y, groups=GROUPS)


def test_every_class_in_every_group_has_its_own_optimum_and_the_worst_deviation_is_least(fitted):
    margins = margin_matrix(fitted.estimators_, X, Y, rule="proba", classes=fitted.classes_)
    cells = np.array([f"{label} in {group}" for label, group in zip(Y, GROUPS, strict=True)])
    names = ["0 in north", "0 in south", "1 in north", "1 in south"]
    optima = [class_optimum(margins, cells, name, theta=0.6) for name in names]
    found = fitted.group_losses_
    assert [f"{c} in {g}" for c, g in zip(found.classes, found.groups, strict=True)] == names
    assert found.points == tuple(int((cells == name).sum()) for name in names)
    np.testing.assert_allclose(found.optima, optima, atol=1e-7)
    best = balance(margins, cells, optima, theta=0.6)
    assert found.deviations.max() == pytest.approx(best, abs=1e-7)
    assert fitted.deviation_ == pytest.approx(best, abs=1e-7)


def test_without_groups_some_cell_is_worse_off(fitted):
    plain = clone(fitted).fit(X, Y)
    assert plain.group_losses_ is None
    cells = fitted.group_losses_
    margins = margin_matrix(plain.estimators_, X, Y, rule="proba", classes=plain.classes_)
    hinge = np.maximum(0, 0.6 - margins @ plain.estimator_weights_)
    losses = [hinge[(c == Y) & (g == GROUPS)].mean() for c, g in zip(cells.classes, cells.groups,
                                                                    strict=True)]  # fmt: skip
    assert (np.array(losses) - cells.optima).max() > cells.deviations.max() + 1e-3


def test_a_classs_loss_is_the_mean_of_its_points(fitted):
    margins = margin_matrix(fitted.estimators_, X, Y, rule="proba", classes=fitted.classes_)
    hinge = np.maximum(0, 0.6 - margins @ fitted.estimator_weights_)
    np.testing.assert_allclose(fitted.class_losses_, [hinge[c == Y].mean() for c in (0, 1)])
    assert fitted.classes_.tolist() == [0, 1]


def test_one_group_is_no_groups():
    plain = LexiEnsembleClassifier(MEMBERS, random_state=0).fit(X, Y)
    one = LexiEnsembleClassifier(MEMBERS, random_state=0).fit(X, Y, groups=["all"] * 300)
    np.testing.assert_allclose(one.estimator_weights_, plain.estimator_weights_, atol=1e-6)
    np.testing.assert_allclose(one.class_losses_, plain.class_losses_, atol=1e-6)


def test_costs_of_a_class_hold_in_all_its_groups(fitted):
    dear = clone(fitted).set_params(class_costs={0: 50.0, 1: 1.0}).fit(X, Y, groups=GROUPS)
    common = np.array(dear.group_losses_.classes) == 0
    before, after = (model.group_losses_.deviations[common] for model in (fitted, dear))
    assert after.max() < before.max() - 1e-4


def test_the_report_and_new_weights_know_the_groups(fitted):
    assert "1 in north" in fitted.report()
    assert "1 in north" in fitted.report().html
    model = clone(fitted).fit(X, Y)
    assert model.reweigh(X, Y, groups=GROUPS).group_losses_.groups[0] == "north"


def test_groups_that_need_the_opposite_are_told_that_no_member_helps():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 1))
    groups = np.arange(200) % 2
    labels = ((points[:, 0] > 0) ^ (groups == 1)).astype(int)  # what is right here is wrong there
    model = LexiEnsembleClassifier([LogisticRegression(), GaussianNB()], random_state=0)
    with pytest.warns(lx.LexiprogWarning, match="no member carries weight"):
        model.fit(points, labels, groups=groups)


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        (["a"] * 299, "one group for each of 300 points"),
        ([None] * 300, "groups has missing values"),
        ([np.nan] * 300, "groups has missing values"),
        (["a"] * 299 + [pd.NA], "groups has missing values"),
        (pd.Series(["a"] * 299 + [pd.NaT]), "groups has missing values"),
    ],
)
def test_groups_that_are_none_are_refused(groups, says):
    with pytest.raises(ValueError, match=says):
        LexiEnsembleClassifier(MEMBERS).fit(X, Y, groups=groups)


def test_cells_whose_names_would_read_the_same_are_kept_apart():
    """The class "a" in the group "b in c", and "a in b" in "c"."""
    groups = np.where(GROUPS == "north", "b in c", "c")
    labels = np.array(["a", "a in b"])[Y]
    twins = LexiEnsembleClassifier(MEMBERS, random_state=0, **PAPER).fit(X, labels, groups=groups)
    plain = LexiEnsembleClassifier(MEMBERS, random_state=0, **PAPER).fit(X, Y, groups=GROUPS)
    found, same = twins.group_losses_, plain.group_losses_
    assert set(zip(found.classes, found.groups, strict=True)) == {
        ("a", "b in c"), ("a", "c"), ("a in b", "b in c"), ("a in b", "c")
    }  # fmt: skip
    assert found.points == same.points
    np.testing.assert_allclose(found.optima, same.optima, atol=1e-7)
    np.testing.assert_allclose(found.deviations.max(), same.deviations.max(), atol=1e-7)
