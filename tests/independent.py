"""An independent judge of hierarchies of linear programs: plain numpy data and scipy's linprog.

Nothing here knows CVXPY or lexiprog. A hierarchy is a list of stages, a stage a list of
`LinearProblem`; what earlier problems found enters later ones through a `Term`, whose numbers are
taken from the records under judgement, so that every problem is judged on its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog

TOLERANCE = 1e-6
NINE_DIGITS = 1e-9


@dataclass(frozen=True)
class Block:
    """A vector variable with its bounds; blocks of equal name are one variable."""

    name: str
    lower: np.ndarray
    upper: np.ndarray

    @property
    def size(self):
        return len(self.lower)


@dataclass(frozen=True)
class Reference:
    """Numbers found by an earlier problem: its optimum, `matrix @ block` at it, or a dual."""

    owner: str
    kind: str  # "optimum", "solution", "expression" or "dual"
    block: str | None = None
    matrix: np.ndarray | None = None
    rows: int | None = None
    size: int = 1


@dataclass(frozen=True)
class Term:
    """`weights @ reference`, a vector added to a cost or a right-hand side."""

    weights: np.ndarray
    reference: Reference


@dataclass(frozen=True)
class Rows:
    """`matrix @ columns (sense) rhs + terms`, sense being "<=", ">=" or "=="."""

    matrix: np.ndarray
    sense: str
    rhs: np.ndarray
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class LinearProblem:
    """Least (or most) of `(cost + cost_terms) @ columns + offset_terms` over rows and bounds."""

    name: str
    blocks: tuple[Block, ...]
    cost: np.ndarray
    rows: tuple[Rows, ...] = ()
    maximize: bool = False
    cost_terms: tuple[Term, ...] = ()
    offset_terms: tuple[Term, ...] = ()

    def columns(self, block):
        start = 0
        for own in self.blocks:
            if own.name == block:
                return slice(start, start + own.size)
            start += own.size
        raise KeyError(block)


@dataclass(frozen=True)
class Record:
    """What is claimed of one problem: value, one point over all columns, one dual per rows."""

    value: float
    point: np.ndarray
    duals: Sequence[np.ndarray]


@dataclass
class Verdict:
    """How wrong a record is: relative errors, in the units of DESIGN's certificate."""

    value: float
    primal: float
    dual: float
    gap: float
    linprog: float = field(default=np.nan)

    @property
    def worst(self):
        return max(self.value, self.primal, self.dual, self.gap)


def referred(reference: Reference, problems: Mapping[str, LinearProblem], records) -> np.ndarray:
    """The numbers of a reference, taken from the records."""
    record = records[reference.owner]
    if reference.kind == "optimum":
        return np.array([record.value])
    if reference.kind == "dual":
        return np.asarray(record.duals[reference.rows], float).reshape(-1)
    point = record.point[problems[reference.owner].columns(reference.block)]
    return point if reference.kind == "solution" else reference.matrix @ point


def judge(problem: LinearProblem, problems: Mapping[str, LinearProblem], records) -> Verdict:
    """Re-solve one problem with the recorded references as data and measure its record."""

    def add(vector, terms):
        return vector + sum(
            (term.weights @ referred(term.reference, problems, records) for term in terms),
            start=np.zeros_like(vector),
        )

    sign = -1.0 if problem.maximize else 1.0
    cost = sign * add(problem.cost.astype(float), problem.cost_terms)
    offset = sign * float(add(np.zeros(1), problem.offset_terms)[0])
    lower = np.concatenate([block.lower for block in problem.blocks]).astype(float)
    upper = np.concatenate([block.upper for block in problem.blocks]).astype(float)
    # Every row as matrix @ point <= rhs, or == rhs.
    signs = [-1.0 if rows.sense == ">=" else 1.0 for rows in problem.rows]
    matrices = [s * rows.matrix.astype(float) for s, rows in zip(signs, problem.rows, strict=True)]
    sides = [
        s * add(rows.rhs.astype(float), rows.terms)
        for s, rows in zip(signs, problem.rows, strict=True)
    ]
    equal = [rows.sense == "==" for rows in problem.rows]

    def stacked(kind):
        chosen = [i for i, is_equal in enumerate(equal) if is_equal == kind]
        if not chosen:
            return None, None
        return np.vstack([matrices[i] for i in chosen]), np.concatenate([sides[i] for i in chosen])

    (a_ub, b_ub), (a_eq, b_eq) = stacked(False), stacked(True)
    bounds = np.column_stack([lower, upper])
    record = records[problem.name]
    point, value = record.point, sign * record.value
    answer = linprog(cost, a_ub, b_ub, a_eq, b_eq, bounds)
    if answer.status == 0:
        error = abs(value - answer.fun - offset)
    else:
        # A row that takes an earlier optimum without any room is missed by that optimum's own
        # rounding. Nothing may then beat the problem with the room that a certificate has; that
        # it is no worse either follows from the multipliers below.
        b_ub = None if b_ub is None else b_ub + TOLERANCE * (1.0 + np.max(np.abs(b_ub)))
        answer = linprog(cost, a_ub, b_ub, a_eq, b_eq, bounds)
        if answer.status != 0:
            raise AssertionError(f"linprog on {problem.name}: {answer.message}")
        error = max(answer.fun + offset - value, 0.0)
    # Costs may be multiples of earlier multipliers, 1e9 and more, and the optimum still be zero:
    # of the largest one, twelve digits count.
    scale = 1.0 + abs(answer.fun + offset) + TOLERANCE * float(np.max(np.abs(cost)))
    beyond = [np.maximum(lower - point, 0), np.maximum(point - upper, 0)]
    reduced = cost.copy()
    dual_value, terms = offset, np.abs(cost)
    wrong_sign = 0.0
    for matrix, side, is_equal, dual in zip(matrices, sides, equal, record.duals, strict=True):
        residual = matrix @ point - side
        beyond.append(np.abs(residual) if is_equal else np.maximum(residual, 0))
        multiplier = np.asarray(dual, float).reshape(-1)
        if not is_equal:
            wrong_sign = max(wrong_sign, float(np.max(-multiplier, initial=0.0)))
        reduced = reduced + matrix.T @ multiplier
        terms = terms + np.abs(matrix).T @ np.abs(multiplier)
        dual_value -= float(side @ multiplier)
    limits = np.concatenate([lower, upper, *sides])
    largest_side = float(np.max(np.abs(limits[np.isfinite(limits)]), initial=0.0))
    # A bound takes what the rows leave over; where there is none, nothing may be left.
    rest = np.where(reduced > 0, lower, upper)
    held = np.isfinite(rest)
    dual_value += float(reduced[held] @ rest[held])
    # Reduced costs are differences of larger terms, of which nine digits count, as they do in a
    # certificate; the value itself is compared with linprog's.
    charged = NINE_DIGITS / TOLERANCE * float(terms[held] @ np.abs(rest[held]))
    return Verdict(
        value=error / scale,
        primal=max(float(np.max(part, initial=0.0)) for part in beyond) / (1.0 + largest_side),
        dual=max(float(np.max(np.abs(reduced[~held]), initial=0.0)), wrong_sign)
        / (1.0 + float(np.max(np.abs(cost)))),
        gap=abs(value - dual_value) / (scale + charged),
        linprog=sign * (answer.fun + offset),
    )


def verdicts(hierarchy: Sequence[Sequence[LinearProblem]], records: Mapping[str, Record]):
    """Judge every recorded problem of a hierarchy."""
    problems = {problem.name: problem for stage in hierarchy for problem in stage}
    return {name: judge(problems[name], problems, records) for name in records}
