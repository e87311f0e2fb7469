"""What another version has pickled says so before anything of it is read."""

import pickle

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog_boost import LexiBoostClassifier, OneClassLexiBoost
from tests.lexiprog.results.test_result import Plant


def build(least):
    x = cp.Variable(name="x")
    return lx.preemptive({"low": cp.Minimize(x)}, [x >= least])


def points():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 2)), np.arange(40) % 2


def classifier():
    return LexiBoostClassifier(n_estimators=3, random_state=0).fit(*points())


MADE = {
    "Result": lambda: Plant().program.solve(),
    "Solution": lambda: Plant().program.solve()["left"],
    "Program": lambda: lx.Program.from_function(build, 3),
    "LexiBoostClassifier": classifier,
    "OneClassLexiBoost": lambda: OneClassLexiBoost().fit(points()[0]),
}


@pytest.mark.parametrize("name", MADE)
def test_a_pickle_of_another_version_is_told_of_even_where_it_cannot_be_read(name):
    made = pickle.dumps(MADE[name](), protocol=4)
    again = pickle.loads(made)  # of this version: no warning, which would be an error here
    assert type(again).__name__ == name
    version = lx.__version__.encode()
    assert version in made
    older = made.replace(version, b"9.9.9")
    with pytest.warns(lx.LexiprogWarning, match=r"this \w+ was pickled by lexiprog 9\.9\.9"):
        pickle.loads(older)
    # What the other version called otherwise: the warning has been given all the same.
    module = b"lexiprog.certify.certificate"
    moved = older.replace(module, b"lexiprog.certify.certificatx")
    if module in made:
        with pytest.warns(lx.LexiprogWarning, match="was pickled"), pytest.raises(ImportError):
            pickle.loads(moved)
