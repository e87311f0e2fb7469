"""The signatures of the estimators: what is given by position, defaults, types."""

import inspect
from typing import get_type_hints

import pytest
from sklearn.base import clone

from lexiprog_boost import (
    DualLPAdaBoostClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
    LPBoostClassifier,
)


def test_what_may_be_given_by_position_is_what_it_was():
    kinds = {LexiBoostClassifier: 2, LPBoostClassifier: 2, LexiEnsembleClassifier: 1}
    for kind, n_positional in kinds.items():
        parameters = list(inspect.signature(kind).parameters.values())
        by_name = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        assert len(parameters) - len(by_name) == n_positional
    with pytest.raises(TypeError, match="positional"):
        LPBoostClassifier(None, 10, 0.1)


def test_defaults_are_each_class_s_own():
    assert LexiBoostClassifier().n_estimators == 50
    assert LPBoostClassifier().n_estimators == 10
    assert LexiBoostClassifier().margin_target == 1.0
    assert LexiEnsembleClassifier().margin_target == 0.3


def test_estimators_are_told_apart_and_can_be_keys():
    one, other = LPBoostClassifier(), LPBoostClassifier()
    assert one != other
    assert len({one, other}) == 2
    assert clone(one).get_params() == one.get_params()
    assert repr(LPBoostClassifier(nu=0.2)) == "LPBoostClassifier(nu=0.2)"


@pytest.mark.parametrize("kind", [DualLPAdaBoostClassifier, LexiBoostClassifier, LPBoostClassifier])
def test_every_parameter_has_a_type_that_can_be_read(kind):
    types = get_type_hints(kind.__init__)
    assert set(types) == {*kind().get_params(deep=False), "return"}
    assert types["n_estimators"] is int
