"""Columns of data frames that are not what they seem."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.checks.points import warn_of_numbers_as_text
from lexiprog_boost.learners import TableColumns

N = 60
CODES = [str(n % 7) for n in range(N)]
WORDS = [f"street {n}" for n in range(N)]
AMOUNTS = [f"{n / 4}" for n in range(N)]


def test_a_fit_warns_of_numbers_as_text_and_names_both_ways_out():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=N), "income": [*AMOUNTS[:-2], "n/a", None]})
    member = make_pipeline(TableColumns(), LogisticRegression())
    model = LexiEnsembleClassifier([("one", member)], random_state=0)
    with pytest.warns(UserWarning, match="column 'income'.*to_numeric.*astype") as said:
        model.fit(table, table["age"] > 0)
    assert len(said) == 1
    assert said[0].filename == __file__


@pytest.mark.parametrize(
    "column", [CODES, WORDS, pd.Categorical(AMOUNTS), [float(a) for a in AMOUNTS]]
)
def test_codes_words_categories_and_numbers_are_taken_in_silence(column):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_numbers_as_text(pd.DataFrame({"given": column}))
        warn_of_numbers_as_text(np.zeros((3, 2)))
