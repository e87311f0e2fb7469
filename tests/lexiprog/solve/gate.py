"""A gate with a big M, and answers at points of its compiled form."""

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import compile_for
from lexiprog.cvxpy_adapter import columns_of
from lexiprog.status import Status


def gate(big, most=9.0):
    """The gate n lets y through for a cost of 3; 2 of y and z are needed, z up to `most`."""
    n, y = cp.Variable(name="n", boolean=True), cp.Variable(name="y", bounds=[0, 5])
    z = cp.Variable(name="z", bounds=[0, most])
    rows = [y <= big * n, y + z >= 2]
    return lx.Subproblem("gate", cp.Minimize(3 * n + 0.1 * y + 4 * z), rows)


def answered(problem, n, y, z, **more):
    compiled = compile_for(problem, lx.Solver("HIGHS"), {})
    columns = columns_of(compiled)
    x = np.zeros(compiled.scaled.c.size)
    for variable, value in zip(problem.variables, (n, y, z), strict=True):
        x[columns[variable.id]] = value
    x = x / compiled.scaling.columns
    form = compiled.scaled
    more = {"status": Status.OPTIMAL, "iterations": 7, "seconds": 0.25, "said": "done"} | more
    return compiled, Answer(x=x, form=form, claimed=form.objective(x), **more)


def values(problem, answer):
    return [float(answer.primal[variable.id]) for variable in problem.variables]
