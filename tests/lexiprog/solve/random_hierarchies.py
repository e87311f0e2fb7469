"""Random hierarchies of linear programs, as plain numpy data and as a lexiprog program.

Every problem has a solution whatever the earlier ones found: variables live in boxes, plain rows
hold at a known point, rows that refer to earlier optima are elastic (a slack with a price), and a
row that limits an earlier objective by its optimum comes with all rows of that earlier problem.
Small whole numbers make ties, redundant rows and degenerate vertices common; scaled rows span five
orders of magnitude.
"""

from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np
from hypothesis import strategies as st

import lexiprog as lx
from tests.independent import Block, LinearProblem, Record, Reference, Rows, Term

SENSES = ("<=", ">=", "==")
STYLES = ("whole", "decimal", "scaled")


@dataclass
class Drawing:
    """One hierarchy while it is drawn: structure from hypothesis, numbers from one seed."""

    draw: object
    rng: np.random.Generator
    style: str
    blocks: list = field(default_factory=list)
    inside: dict = field(default_factory=dict)

    def chance(self, one_in):
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def numbers(self, *shape, largest=3):
        if self.style == "whole":
            return self.rng.integers(-largest, largest + 1, shape).astype(float)
        numbers = np.round(self.rng.normal(scale=largest / 2, size=shape), 3)
        if self.style == "scaled":
            numbers = (numbers.T * 10.0 ** self.rng.integers(-2, 4, shape[0])).T
        return numbers

    def block(self):
        """A new variable, or now and then one that an earlier problem already has."""
        if self.blocks and self.draw(st.booleans()):
            return self.draw(st.sampled_from(self.blocks))
        size = self.draw(st.integers(1, 4))
        lower, upper = -self.rng.integers(0, 5, size), self.rng.integers(1, 6, size)
        block = Block(f"x{len(self.blocks)}", lower.astype(float), upper.astype(float))
        self.blocks.append(block)
        self.inside[block.name] = np.where(lower < 0, 0.0, 1.0)
        return block

    def reference(self, earlier):
        owner = self.draw(st.sampled_from(earlier))
        kinds = ["optimum", "solution", "expression", "dual" if owner.rows else "optimum"]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "optimum":
            return Reference(owner.name, kind)
        if kind == "dual":
            rows = self.draw(st.integers(0, len(owner.rows) - 1))
            return Reference(owner.name, kind, rows=rows, size=len(owner.rows[rows].rhs))
        block = self.draw(st.sampled_from(owner.blocks))
        if kind == "solution":
            return Reference(owner.name, kind, block.name, size=block.size)
        size = self.draw(st.integers(1, 2))
        return Reference(owner.name, kind, block.name, self.numbers(size, block.size), size=size)

    def terms(self, length, earlier):
        if not earlier or self.chance(2):
            return ()
        references = [self.reference(earlier) for _ in range(self.draw(st.integers(1, 2)))]
        return tuple(Term(0.5 * self.numbers(length, r.size, largest=2), r) for r in references)

    def plain_rows(self, block):
        count = self.draw(st.integers(1, 4))
        matrix, sense = self.numbers(count, block.size), self.draw(st.sampled_from(SENSES))
        room = {"<=": 1.0, ">=": -1.0, "==": 0.0}[sense] * self.rng.integers(0, 3, count)
        return Rows(matrix, sense, matrix @ self.inside[block.name] + room)

    def problem(self, name, earlier):
        lockable = [owner for owner in earlier if not owner.cost_terms]
        if lockable and self.chance(4):
            return self.locked(name, self.draw(st.sampled_from(lockable)))
        block = self.block()
        maximize = self.draw(st.booleans())
        blocks, cost = [block], self.numbers(block.size)
        rows = [self.plain_rows(block) for _ in range(self.draw(st.integers(0, 2)))]
        cost_terms = self.terms(block.size, earlier)
        if earlier and self.draw(st.booleans()):
            count = self.draw(st.integers(1, 2))
            slack = Block(f"{name} slack", np.zeros(count), np.full(count, np.inf))
            matrix = np.hstack([self.numbers(count, block.size), -np.eye(count)])
            rows = [
                Rows(np.hstack([r.matrix, np.zeros((len(r.rhs), count))]), r.sense, r.rhs)
                for r in rows
            ]
            terms = self.terms(count, earlier)
            rows.append(Rows(matrix, "<=", self.numbers(count), terms))
            blocks.append(slack)
            price = self.rng.integers(1, 9, count) * (-1.0 if maximize else 1.0)
            cost = np.concatenate([cost, price])
            cost_terms = tuple(
                Term(np.vstack([t.weights, np.zeros((count, t.reference.size))]), t.reference)
                for t in cost_terms
            )
        offset = self.terms(1, earlier)
        return LinearProblem(name, tuple(blocks), cost, tuple(rows), maximize, cost_terms, offset)

    def locked(self, name, owner):
        """Another objective over an earlier problem's rows, its optimum given up to a slack."""
        slack = self.draw(st.sampled_from([0.0, 0.5, 2.0]))
        sense, sign = (">=", -1.0) if owner.maximize else ("<=", 1.0)
        one = np.ones((1, 1))
        terms = (
            Term(one, Reference(owner.name, "optimum")),
            *(Term(-term.weights, term.reference) for term in owner.offset_terms),
        )
        lock = Rows(owner.cost[None], sense, np.array([sign * slack]), terms)
        cost = self.numbers(len(owner.cost))
        maximize = self.draw(st.booleans())
        for block in owner.blocks:
            if not np.isfinite(block.upper).all():
                priced = np.abs(cost[owner.columns(block.name)]) + 1
                cost[owner.columns(block.name)] = -priced if maximize else priced
        return LinearProblem(name, owner.blocks, cost, (*owner.rows, lock), maximize)


@st.composite
def hierarchies(draw):
    """Hierarchies of 1-4 stages with 1-3 problems a stage, as plain data."""
    seed = draw(st.integers(0, 2**32 - 1))
    drawing = Drawing(draw, np.random.default_rng(seed), style=draw(st.sampled_from(STYLES)))
    stages, earlier = [], []
    for i in range(draw(st.integers(1, 4))):
        count = draw(st.integers(1, 3))
        stages.append([drawing.problem(f"p{i}{j}", list(earlier)) for j in range(count)])
        earlier.extend(stages[-1])
    return stages


def as_program(stages):
    """The same hierarchy as a lexiprog program, and how to read records off its results."""
    variables, subproblems, constraints = {}, {}, {}

    def referred(reference):
        owner = subproblems[reference.owner]
        if reference.kind == "optimum":
            return owner.optimum
        if reference.kind == "dual":
            return owner.dual(constraints[reference.owner][reference.rows])
        variable = variables[reference.block]
        if reference.kind == "solution":
            return owner.at(variable)
        return owner.at(reference.matrix @ variable)

    def total(vector, terms):
        for term in terms:
            value = referred(term.reference)
            scalar = value.ndim == 0
            vector = vector + (term.weights[:, 0] * value if scalar else term.weights @ value)
        return vector

    for problem in [problem for stage in stages for problem in stage]:
        for block in problem.blocks:
            if block.name not in variables:
                variables[block.name] = cp.Variable(
                    block.size, bounds=[block.lower, block.upper], name=block.name
                )
        columns = cp.hstack([variables[block.name] for block in problem.blocks])
        objective = total(problem.cost, problem.cost_terms) @ columns
        if problem.offset_terms:
            objective = objective + cp.sum(total(np.zeros(1), problem.offset_terms))
        constraints[problem.name] = []
        for rows in problem.rows:
            left, right = rows.matrix @ columns, total(rows.rhs, rows.terms)
            written = {"<=": left <= right, ">=": left >= right, "==": left == right}
            constraints[problem.name].append(written[rows.sense])
        sense = cp.Maximize if problem.maximize else cp.Minimize
        subproblems[problem.name] = lx.Subproblem(
            problem.name, sense(objective), constraints[problem.name]
        )
    program = lx.Program(
        *(lx.Stage(f"stage {i}", *(subproblems[p.name] for p in s)) for i, s in enumerate(stages))
    )

    def records(result):
        problems = {problem.name: problem for stage in stages for problem in stage}
        return {
            name: Record(
                solution.value,
                np.concatenate([solution[variables[b.name]] for b in problems[name].blocks]),
                [solution.dual(constraint) for constraint in constraints[name]],
            )
            for name, solution in result.items()
        }

    return program, records
