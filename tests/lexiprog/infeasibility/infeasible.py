"""Random problems without a feasible point, their rows kept as bare numbers for other solvers."""

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

import lexiprog as lx


@dataclass(frozen=True)
class Block:
    """Rows A x <= b, or the ball |A x| <= radius where there is a radius."""

    A: np.ndarray
    b: np.ndarray
    radius: float | None = None

    def constraint(self, x):
        if self.radius is not None:
            return cp.norm(self.A @ x - self.b) <= self.radius
        return self.A @ x <= self.b


@dataclass(frozen=True)
class Drawn:
    """Blocks of constraints on a variable between 0 and ``high``, perhaps a whole one."""

    blocks: tuple[Block, ...]
    high: float
    whole: bool

    @property
    def size(self):
        return self.blocks[0].A.shape[1]

    def failure(self):
        """The error of solving it, and the constraints in the order that was given."""
        x = cp.Variable(self.size, name="x", bounds=[0, self.high], integer=self.whole)
        problem = lx.Subproblem("p", cp.Minimize(cp.sum(x)), [b.constraint(x) for b in self.blocks])
        try:
            lx.Program(lx.Stage("only", problem)).solve()
        except lx.StageError as error:
            return error
        return None

    def possible(self, which, *, lower=True, upper=True, whole=None):
        """Whether blocks can be met, as another solver says: scipy's, or ECOS beside ours."""
        blocks = [self.blocks[k] for k in which]
        whole = self.whole if whole is None else whole
        low, high = (0 if lower else -np.inf), (self.high if upper else np.inf)
        if any(block.radius is not None for block in blocks):
            x = cp.Variable(self.size)
            sides = ([x >= low] if lower else []) + ([x <= high] if upper else [])
            problem = cp.Problem(cp.Minimize(0), [b.constraint(x) for b in blocks] + sides)
            problem.solve("ECOS")
            return problem.status == "optimal"
        A = np.vstack([np.zeros((1, self.size)), *(block.A for block in blocks)])
        b = np.concatenate([[0.0], *(block.b for block in blocks)])
        if whole:
            rows, kinds = LinearConstraint(A, -np.inf, b), np.ones(self.size)
            box = Bounds(np.full(self.size, low), np.full(self.size, high))
            found = milp(np.zeros(self.size), constraints=rows, integrality=kinds, bounds=box)
            return found.status == 0
        return linprog(np.zeros(self.size), A, b, bounds=(low, high)).status == 0


def draw(seed, kind):
    """The first infeasible problem from a seed; the kind is LP, MILP or SOCP."""
    random = np.random.default_rng(seed)
    while True:
        size = int(random.integers(2, 6))
        blocks = []
        for _ in range(int(random.integers(3, 9))):
            rows = int(random.integers(1, 4))
            A = random.integers(-4, 5, (rows, size)).astype(float)
            b = random.integers(-6, 9, rows).astype(float)
            ball = kind == "SOCP" and random.random() < 0.5
            blocks.append(Block(A, b, float(random.integers(1, 6)) if ball else None))
        drawn = Drawn(tuple(blocks), float(random.integers(1, 5)), kind == "MILP")
        if not drawn.possible(range(len(blocks))):
            return drawn
