"""Every estimator describes itself in its own file, and a shared parameter reads alike in all."""

import inspect
import re
from collections import defaultdict

import pytest
from sklearn.base import BaseEstimator

import lexiprog_boost
from lexiprog_boost import classifiers, learners, pools, programs

DOORS = [lexiprog_boost, learners]
ESTIMATORS = {
    name: getattr(door, name)
    for door in DOORS
    for name in door.__all__
    if inspect.isclass(getattr(door, name)) and issubclass(getattr(door, name), BaseEstimator)
}
FUNCTIONS = {
    name: getattr(door, name)
    for door in (programs, pools)
    for name in door.__all__
    if inspect.isfunction(getattr(door, name))
    and getattr(door, name).__module__.startswith("lexiprog_boost")
}

# How many texts an entry has where it has more than one, because it means something else: three of
# `tie_break` are those of the lexicographic ensembles, of the soft margins, and of their duals.
ENSEMBLE_TEXTS = {
    "class_costs": 3,
    "class_offsets": 2,
    "class_optima_": 2,
    "confidence": 2,
    "estimator": 4,
    "estimator_weights_": 4,
    "estimators_": 2,
    "floors_": 2,
    "history_": 3,
    "margin": 3,
    "margin_": 2,
    "margins_from": 2,
    "n_estimators": 2,
    "n_jobs": 2,
    "n_members_": 2,
    "point_weights_": 2,
    "program_": 3,
    "random_state": 5,
    "result_": 2,
    "rule_": 2,
    "solver": 2,
    "stopped_": 2,
    "tie_break": 3,
    "verbose": 2,
}
FUNCTION_TEXTS = {
    "X": 4,
    "class_costs": 2,
    "estimator": 2,
    "n_estimators": 2,
    "program": 2,
    "random_state": 2,
    "sample_weight": 5,
    "tolerance": 2,
    "weights": 3,
    "y": 3,
}


def entries(thing, section):
    """The entries of a section of a docstring: their texts by their names."""
    body = re.search(
        rf"^{section}\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", inspect.getdoc(thing), re.S | re.M
    )
    parts = re.split(r"\n(?=\S)", body[1]) if body else []
    return {
        name.strip(): " ".join(part.split())
        for part in parts
        for name in part.splitlines()[0].split(" : ")[0].split(",")
    }


def differing(things):
    """How many texts each entry has, where that is more than one."""
    texts = defaultdict(set)
    for thing in things:
        for section in ("Parameters", "Attributes"):
            for name, text in entries(thing, section).items():
                texts[name].add(text)
    return {name: len(found) for name, found in sorted(texts.items()) if len(found) > 1}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_described_and_nothing_else(name):
    described = entries(ESTIMATORS[name], "Parameters")
    assert list(described) == list(inspect.signature(ESTIMATORS[name]).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_is_described_and_nothing_else(name):
    described = entries(FUNCTIONS[name], "Parameters")
    assert set(described) == set(inspect.signature(FUNCTIONS[name]).parameters)


def test_what_ensembles_share_is_described_alike():
    assert differing(map(ESTIMATORS.get, classifiers.__all__)) == ENSEMBLE_TEXTS


def test_what_functions_share_is_described_alike():
    assert differing(FUNCTIONS.values()) == FUNCTION_TEXTS
