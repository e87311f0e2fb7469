"""The estimator: scikit-learn's checks, what each group is promised, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

import lexiprog as lx
from lexiprog_boost import OneClassLexiBoost
from lexiprog_boost.one_class import detector
from lexiprog_boost.one_class.generation import Needed
from tests.lexiprog_boost.sklearn_checks import assert_passes_all_but

RNG = np.random.default_rng(2)
# A common kind, a rare one elsewhere, a wide one; anomalies between them.
SIZES = [120, 15, 30]
X = np.r_[
    RNG.normal([0, 0], 0.6, (120, 2)), RNG.normal([6, 0], 0.6, (15, 2)),
    RNG.normal([0, 6], 1.2, (30, 2)),
]  # fmt: skip
KINDS = np.repeat(["common", "rare", "wide"], SIZES)
ODD = RNG.normal([5, 6], 0.7, (40, 2))


@pytest.mark.parametrize("kind", ["bumps", "trees"])
def test_scikit_learn_s_checks_pass(kind):
    assert_passes_all_but(OneClassLexiBoost(kind, n_hypotheses=10, random_state=0), {})


@pytest.mark.parametrize("kind", ["bumps", "trees"])
@pytest.mark.parametrize("nu", [0.05, 0.2])
def test_no_group_loses_more_than_its_share(kind, nu):
    model = OneClassLexiBoost(kind, nu=nu, n_hypotheses=60, random_state=0).fit(X, groups=KINDS)
    lost = model.predict(X) == -1
    assert model.groups_.tolist() == ["common", "rare", "wide"]
    for kind_, size in zip(model.groups_, SIZES, strict=True):
        assert lost[kind_ == KINDS].sum() <= nu * size + 1e-9
    assert roc_auc_score(np.repeat([1, 0], [165, 40]), model.score_samples(np.r_[X, ODD])) > 0.9


def test_without_groups_the_rare_kind_pays_and_with_them_it_does_not():
    alone = OneClassLexiBoost(nu=0.1, n_groups=1, random_state=0).fit(X)
    fair = OneClassLexiBoost(nu=0.1, random_state=0).fit(X, groups=KINDS)
    rare = KINDS == "rare"
    assert (alone.predict(X[rare]) == -1).mean() > 0.2
    assert (fair.predict(X[rare]) == -1).mean() <= 0.1


def test_groups_are_told_what_they_could_have_and_what_they_get():
    model = OneClassLexiBoost(nu=0.2, random_state=0).fit(X, groups=KINDS)
    scores = model.score_samples(X)
    for kind, value, level in zip(
        model.groups_, model.group_values_, model.group_levels_, strict=True
    ):
        mine = np.sort(scores[kind == KINDS])
        assert value == pytest.approx(mine[: round(0.2 * len(mine))].mean())
        assert (mine < level - 1e-9).mean() <= 0.2
    gaps = model.group_optima_ - model.group_values_
    assert model.deviation_ == gaps.max() == pytest.approx(model.result_.final.value, abs=1e-5)
    assert (gaps > -1e-6).all()
    assert model.offset_ == pytest.approx(model.group_levels_.min())
    assert model.gap_ <= 1e-6


def test_groups_are_found_where_none_are_given():
    model = OneClassLexiBoost(n_groups=3, random_state=0).fit(X)
    given = OneClassLexiBoost(random_state=0).fit(X, groups=KINDS)
    assert len(model.groups_) == 3
    assert model.score_samples(ODD).max() < model.score_samples(X).max()
    # k-means finds these kinds: the same groups, the same weights.
    np.testing.assert_allclose(np.sort(model.group_optima_), np.sort(given.group_optima_), atol=0.1)


def test_contamination_is_the_share_of_the_training_points():
    model = OneClassLexiBoost(contamination=0.2, random_state=0).fit(X)
    assert (model.predict(X) == -1).mean() == pytest.approx(0.2, abs=0.02)
    assert (model.fit_predict(X) == model.predict(X)).all()


def test_scores_do_not_depend_on_the_features_units():
    one = OneClassLexiBoost(random_state=0).fit(X).score_samples(ODD)
    other = OneClassLexiBoost(random_state=0).fit(X * [1, 1000]).score_samples(ODD * [1, 1000])
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"hypotheses": "stumps"}, "unknown hypotheses 'stumps'; they are 'bumps' or 'trees'"),
        ({"nu": 0}, "nu is 0"),
        ({"n_groups": 0}, "n_groups is 0; it is a whole number from 1 on"),
        ({"n_hypotheses": 2.5}, "n_hypotheses is 2.5"),
        ({"width": -1.0}, "the bumps' width is above 0"),
        ({"contamination": 0.7}, "contamination is 0.7"),
        ({"solver": {"grups": "HIGHS"}}, "solver names 'grups'"),
    ],
)
def test_options_that_make_no_sense_are_refused(parameters, says):
    with pytest.raises(ValueError, match=says):
        OneClassLexiBoost(**parameters).fit(X)


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match="one group for each of 165 points"):
        OneClassLexiBoost().fit(X, groups=KINDS[:5])


def test_a_gap_that_is_left_is_told(monkeypatch):
    short = Needed([0, 1], np.zeros(1), 0.25, 200)
    monkeypatch.setattr(detector, "generate", lambda *_, **__: short)
    with pytest.warns(ConvergenceWarning, match=r"leave a gap of 0\.25"):
        OneClassLexiBoost(n_groups=1, random_state=0).fit(X)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_points_without_a_group_are_refused(missing):
    kinds = np.array([missing, *KINDS[1:]], dtype=object)
    with pytest.raises(ValueError, match="groups has missing values; give such points a group"):
        OneClassLexiBoost().fit(X, groups=kinds)


def test_a_threshold_that_calls_all_points_normal_is_told():
    narrow = OneClassLexiBoost(n_hypotheses=20, width=1e-6, random_state=0)
    with pytest.warns(lx.LexiprogWarning, match="calls every point normal; more hypotheses"):
        narrow.fit(X)
    assert (narrow.predict([[1e6, 1e6]]) == 1).all()
