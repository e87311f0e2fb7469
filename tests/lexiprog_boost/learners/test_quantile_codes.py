"""Quantile codes keep the order of values, and gradient boosting takes them as they are."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from lexiprog_boost.learners import QuantileCodes


def test_bins_are_ordered_even_and_few():
    values = np.random.default_rng(0).lognormal(size=(10_000, 1))
    codes = QuantileCodes(50).fit_transform(values).ravel()
    assert (np.diff(codes[np.argsort(values.ravel())]) >= 0).all()
    counts = np.bincount(codes.astype(int))
    assert len(counts) == 50
    assert counts.min() >= 150  # an even share is 200


def test_few_values_keep_a_bin_each_and_missing_ones_none():
    column = np.array([[3.0], [1.0], [np.nan], [3.0], [1e308], [-1e308]])
    codes = QuantileCodes().fit_transform(column).ravel()
    assert codes[[0, 1, 3, 4, 5]].tolist() == [2, 1, 2, 3, 0]
    assert np.isnan(codes[2])
    assert QuantileCodes().fit(column).transform([[2.5], [1e9]]).ravel().tolist() == [
        2,
        2,
    ]


def test_boosting_on_codes_predicts_as_well_as_on_values():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 5))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=3000) > 2.5).astype(int)
    train, test = slice(0, 2000), slice(2000, None)
    codes = QuantileCodes().fit(X[train])
    plain = HistGradientBoostingClassifier(random_state=0).fit(X[train], y[train])
    coded = HistGradientBoostingClassifier(random_state=0).fit(codes.transform(X[train]), y[train])
    areas = [
        roc_auc_score(y[test], plain.predict_proba(X[test])[:, 1]),
        roc_auc_score(y[test], coded.predict_proba(codes.transform(X[test]))[:, 1]),
    ]
    assert areas[1] > areas[0] - 0.01


def test_one_bin_is_refused():
    with pytest.raises(ValueError, match="at least two bins"):
        QuantileCodes(1).fit([[0.0], [1.0]])
