"""A program of five stages with three problems each, and solvers that go wrong at the k-th call."""

import cvxpy as cp
import numpy as np

import lexiprog as lx

STAGES, PROBLEMS = 5, 3
NAMES = [f"p{i}{j}" for i in range(1, STAGES + 1) for j in range(PROBLEMS)]
# Worked by hand: problem (i, j) buys 3 cheap units and i dear ones at 2 + j.
VALUES = {f"p{i}{j}": 3 + (2 + j) * i for i in range(1, STAGES + 1) for j in range(PROBLEMS)}
POINTS = {f"p{i}{j}": [3, i] for i in range(1, STAGES + 1) for j in range(PROBLEMS)}


def five_by_three():
    """Each problem reads an optimum, a dual and a neighbour's solution of the stage before."""
    stages, before = [], []
    for i in range(1, STAGES + 1):
        now = []
        for j in range(PROBLEMS):
            name = f"p{i}{j}"
            x = cp.Variable(2, bounds=[0, 100], name=f"x{i}{j}")
            price, need, budget = 2 + j, 4, 1000
            if before:
                (own, demand, _), (neighbour, _, at) = before[j], before[(j + 1) % PROBLEMS]
                price, need = own.dual(demand), 4 + neighbour.at(at[1])
                budget = own.optimum + 10
            cost = x[0] + price * x[1]
            demand = cp.sum(x) >= need
            problem = lx.Subproblem(name, cp.Minimize(cost), [demand, x[0] <= 3, cost <= budget])
            now.append((problem, demand, x))
        stages.append(lx.Stage(f"stage {i}", *(problem for problem, _, _ in now)))
        before = now
    return lx.Program(*stages)


class Panic(BaseException):
    """What a crashed native solver raises: no Exception."""


class Mischief:
    """Solves well until its k-th call, then misbehaves for good (or only once)."""

    name = "MISCHIEF"

    def __init__(self, deed, at, *, once=False):
        self.deed, self.at, self.once, self.calls = deed, at, once, 0

    def solve(self, problem):
        self.calls += 1
        if self.calls < self.at or (self.once and self.calls > self.at):
            problem.solve(solver="CLARABEL")
        else:
            self.deed(problem)


def raising(error):
    def raises(problem):
        raise error

    return raises


def lying(tamper):
    """Solve, then claim `tamper(value)` of the first variable as the optimum."""

    def lies(problem):
        problem.solve(solver="CLARABEL")
        variable = problem.variables()[0]
        variable.value = tamper(variable.value)

    return lies


def timing_out(problem):
    problem.solve(solver="HIGHS", time_limit=0.0)


def losing_values(problem):
    problem.solve(solver="CLARABEL")
    for variable in problem.variables():
        variable.value = None


FAILURES = {
    "solver error": raising(cp.SolverError("the solver broke down")),
    "any exception": raising(ZeroDivisionError("never expected")),
    "crash": raising(Panic("index out of bounds")),
    "does nothing": lambda problem: None,
    "loses its values": losing_values,
    "time limit": timing_out,
}
LIES = {
    "feasible but dear": lying(lambda x: x + np.array([0.0, 1.0])),
    "slightly dear": lying(lambda x: x + np.array([0.0, 1e-3])),
    "infeasible and cheap": lying(lambda x: 0 * x),
    "slightly infeasible": lying(lambda x: x - np.array([0.0, 1e-3])),
    "outside its bounds": lying(lambda x: np.array([-1.0, x[1] + 4])),
    "not a number": lying(lambda x: np.array([np.nan, x[1]])),
}
