"""Categories of a data frame become numbers, and whatever is odd about them is said."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from lexiprog_boost import LexiBoostClassifier, LexiEnsembleClassifier
from lexiprog_boost.learners import QuantileCodes, TableColumns

TABLE = pd.DataFrame(
    {
        "size": [1.5, np.nan, 3.0, 4.0],
        "city": ["Rome", "Oslo", None, "Rome"],
        "kind": pd.Categorical(["a", "b", "a", "c"]),
        "new": [True, False, True, True],
    }
)


def test_each_category_is_a_column_and_unknown_ones_are_none_of_them():
    columns = TableColumns().fit(TABLE)
    found = columns.transform(TABLE)
    assert found.shape == (4, 2 + 3 + 3)
    np.testing.assert_array_equal(found[:, 2:5], [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
    other = TABLE.assign(city="Bern")
    assert (columns.transform(other)[:, 2:5] == 0).all()


def test_codes_are_missing_for_unknown_categories():
    columns = TableColumns("ordinal").fit(TABLE)
    assert columns.transform(TABLE)[:, 1].tolist() == [2.0, 1.0, 0.0, 2.0]
    assert columns.transform(TABLE)[:, 3].tolist() == [1.0, 0.0, 1.0, 1.0]
    assert np.isnan(columns.transform(TABLE.assign(city="Bern"))[:, 1]).all()


def test_arrays_pass_and_boosting_is_told_what_is_a_category():
    numbers = np.array([[1.0, np.nan], [2.0, 3.0]])
    np.testing.assert_array_equal(TableColumns().fit_transform(numbers), numbers)
    marked = TableColumns("categories").fit_transform(TABLE)
    assert [str(kind) for kind in marked.dtypes] == ["float64", "category", "category", "float64"]
    coded = QuantileCodes().fit_transform(marked)
    assert coded["x0"].tolist()[2:] == [1.0, 2.0]
    assert str(coded.dtypes["x1"]) == "category"


def test_what_cannot_be_used_is_named():
    with pytest.raises(TypeError, match="column 'day' holds dates"):
        TableColumns().fit(TABLE.assign(day=pd.Timestamp("2026-01-01")))
    with pytest.raises(ValueError, match="unknown categories 'hash'"):
        TableColumns("hash").fit(TABLE)
    with pytest.raises(TypeError, match="column 'city'"):
        TableColumns().fit(TABLE).transform(TABLE.to_numpy())


def mixed(n=240):
    rng = np.random.default_rng(0)
    city = rng.choice(["Rome", "Oslo", "Bern"], n)
    size = rng.normal(size=n)
    y = (size + 2.0 * (city == "Oslo") + 0.5 * rng.normal(size=n) > 1.5).astype(int)
    return pd.DataFrame({"size": size, "noise": rng.normal(size=n), "city": city}), y


def test_the_default_classifier_learns_from_categories():
    table, y = mixed()
    model = LexiEnsembleClassifier(random_state=0).fit(table[:180], y[:180])
    blind = LexiEnsembleClassifier(random_state=0).fit(table[["size", "noise"]][:180], y[:180])
    right = (model.predict(table[180:]) == y[180:]).mean()
    assert right > (blind.predict(table[["size", "noise"]][180:]) == y[180:]).mean() + 0.05
    assert model.feature_importances_.shape == (3,)


def test_a_column_of_text_is_named():
    table, y = mixed(60)
    with pytest.raises(ValueError, match=r"member 'linear', .*column 'city' holds categories"):
        LexiEnsembleClassifier([("linear", LogisticRegression())]).fit(table, y)
    with pytest.raises(ValueError, match="column 2 holds the text"):
        LexiEnsembleClassifier().fit(table.to_numpy(), y)
    with pytest.raises(ValueError, match="column 'city' holds the text"):
        LexiBoostClassifier(n_estimators=2).fit(table, y)
