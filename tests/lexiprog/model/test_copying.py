"""Declarations say in one sentence why they cannot be pickled or deep-copied."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor

import cvxpy as cp
import pytest

import lexiprog as lx


def build():
    x = cp.Variable(name="x")
    low = lx.Subproblem("low", cp.Minimize(x), [x >= 1])
    stage = lx.Stage("only", low)
    return {"Subproblem": low, "Stage": stage, "Program": lx.Program(stage)}


@pytest.mark.parametrize("kind", ["Subproblem", "Stage", "Program"])
@pytest.mark.parametrize("strategy", [pickle.dumps, copy.deepcopy, lambda p: pickle.dumps(p, 0)])
def test_pickling_and_deep_copying_are_refused_with_a_way_out(kind, strategy):
    with pytest.raises(TypeError, match=rf"^{kind} objects.*build them in a function"):
        strategy(build()[kind])


@pytest.mark.parametrize("kind", ["Subproblem", "Stage", "Program"])
def test_a_shallow_copy_of_what_cannot_change_is_itself(kind):
    declared = build()[kind]
    assert copy.copy(declared) is declared


def test_what_holds_a_declaration_is_refused_with_the_same_sentence():
    with pytest.raises(TypeError, match="Program objects cannot be pickled"):
        copy.deepcopy({"mine": [build()["Program"]]})


def solve_there(_):
    return build()["Program"].solve()


def test_a_program_built_in_the_other_process_sends_back_its_result():
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(TypeError, match="Program objects cannot be pickled"):
            pool.submit(build()["Program"].solve).result(60)
        assert pool.submit(solve_there, None).result(60)["low"].value == pytest.approx(1)
