"""Integer programs with more digits than a solver's tolerances, written digit by digit.

A row of whole numbers ``a @ x <= b`` says the same as two rows with a carry k, as in long addition:
with ``a = B high + low`` and ``b = B top + rest``

    low @ x - B k <= rest,   high @ x + k <= top,   k whole.

Its coefficients have half the digits, and may be divided again. A long objective becomes levels:
with ``low @ x - B k = r``, 0 <= r < B, the least ``a @ x`` has the least ``high @ x + k``, and
among these the least r. So HiGHS gets numbers that it can tell apart, and each value is a whole
one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil, inf

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs_mip import MipSearch, solve_mip
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.whole_numbers import WholeNumbers, WholeObjective
from lexiprog.deadline import Deadline
from lexiprog.status import Status
from lexiprog.tolerances import INTEGER_ROUNDING, MIP_FEASIBILITY
from lexiprog.typing import Array, Options

# Numbers of no more decimal digits are not divided: beside them a millionth, which HiGHS takes for
# a whole number unless it is asked for more, changes no row by a step.
DIGITS = 4
TOLERANCES = (1e-6, MIP_FEASIBILITY)

WholeTerms = dict[int, int]  # whole coefficients by column


def base_of(terms: WholeTerms) -> int:
    """The power of ten that divides the longest coefficient into parts of about equal length."""
    length = len(str(max(map(abs, terms.values()), default=0)))
    parts = -(-length // DIGITS)
    return int(10 ** -(-length // parts))


def divided(terms: WholeTerms, base: int) -> tuple[WholeTerms, WholeTerms]:
    """The high and the low parts of coefficients, the low ones between plus and minus half."""
    pairs = {j: divmod(c + base // 2, base) for j, c in terms.items()}
    high = {j: top for j, (top, _) in pairs.items() if top}
    low = {j: rest - base // 2 for j, (_, rest) in pairs.items() if rest != base // 2}
    return high, low


@dataclass(frozen=True)
class Carry:
    """A column that was added: ``(terms @ x - rest) / base``, rounded up or down.

    ``remainder`` is a column for what rounding down leaves over, if somebody asks for that.
    """

    column: int
    terms: WholeTerms
    rest: int
    base: int
    remainder: int | None = None


@dataclass
class DigitRows:
    """Rows of whole numbers as they are handed to HiGHS, and the columns that they need."""

    lower: list[float]
    upper: list[float]
    rows: list[tuple[WholeTerms, float, bool]] = field(default_factory=list)  # limit; an equation?
    carries: list[Carry] = field(default_factory=list)

    def add(self, terms: WholeTerms, limit: int, *, equation: bool) -> None:
        """A row, divided until its coefficients are short."""
        base = base_of(terms)
        while max(map(abs, terms.values()), default=0) > base:
            top, rest = divmod(limit, base)
            terms, low = divided(terms, base)
            terms[self._carry(low, rest, base)] = 1
            self.rows.append((low, rest, equation))
            limit = top
        self.rows.append((terms, limit, equation))

    def levels(self, terms: WholeTerms) -> list[tuple[WholeTerms, int]]:
        """A long objective as short ones, each with what one of it is worth, the largest first."""
        base, worth, found = base_of(terms), 1, list[tuple[WholeTerms, int]]()
        while max(map(abs, terms.values()), default=0) > base:
            terms, low = divided(terms, base)
            left = self._column(0.0, base - 1.0)
            terms[self._carry(low, 0, base, left)] = 1
            low[left] = -1
            self.rows.append((low, 0.0, True))
            found.append(({left: 1}, worth))
            worth *= base
        return [(terms, worth), *reversed(found)]

    def _carry(self, low: WholeTerms, rest: int, base: int, remainder: int | None = None) -> int:
        """A column for the carry of a row, which it is put into."""
        least, most = self._range(low)
        column = self._column(
            (least - rest) // base if least > -inf else -inf,
            ceil((most - rest) / base) if most < inf else inf,
        )
        self.carries.append(Carry(column, dict(low), rest, base, remainder))
        low[column] = -base
        return column

    def _column(self, lower: float, upper: float) -> int:
        self.lower.append(lower)
        self.upper.append(upper)
        return len(self.lower) - 1

    def _range(self, terms: WholeTerms) -> tuple[float, float]:
        """The least and the most that a sum can come to."""
        ends = [(c * self.lower[j], c * self.upper[j]) for j, c in terms.items()]
        return sum(min(pair) for pair in ends), sum(max(pair) for pair in ends)

    def completed(self, x: Array) -> Array:
        """A point with the values that the new columns have there."""
        out = [*x.tolist(), *[0.0] * (len(self.lower) - x.size)]
        for carry in self.carries:
            over = sum(c * round(out[j]) for j, c in carry.terms.items()) - carry.rest
            down, left = divmod(over, carry.base)
            if carry.remainder is None:
                out[carry.column] = down + (left > 0)
            else:
                out[carry.column], out[carry.remainder] = down, left
        return np.array(out)

    def form_of(self, form: StandardForm, others: Array) -> StandardForm:
        """The program of these rows and the ``others`` of a form, without costs."""
        n, more = form.c.size, len(self.lower) - form.c.size
        equations = [row for row in self.rows if row[2]]
        limits = [row for row in self.rows if not row[2]]
        A, zero = sp.csr_array(form.A), form.cones.zero
        first, last = others[others < zero], others[others >= zero]
        parts = [_widened(A[first], more), self._matrix(equations)]
        parts += [_widened(A[last], more), self._matrix(limits)]
        sides = (form.b[first], _limits(equations), form.b[last], _limits(limits))
        integer = np.append(np.asarray(form.integer, dtype=np.intp), np.arange(n, n + more))
        return replace(
            form, c=np.zeros(n + more), A=sp.csc_array(sp.vstack(parts)), b=np.concatenate(sides),
            cones=Cones(first.size + len(equations), last.size + len(limits)),
            lower=np.array(self.lower), upper=np.array(self.upper), integer=integer,
        )  # fmt: skip

    def _matrix(self, rows: list[tuple[WholeTerms, float, bool]]) -> sp.csr_array:
        out = sp.dok_array((len(rows), len(self.lower)))
        for i, (terms, *_) in enumerate(rows):
            for j, c in terms.items():
                out[i, j] = float(c)
        return sp.csr_array(out)


def _widened(matrix: sp.csr_array, more: int) -> sp.csr_array:
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr),
                        shape=(matrix.shape[0], matrix.shape[1] + more))  # fmt: skip


def _limits(rows: list[tuple[WholeTerms, float, bool]]) -> Array:
    return np.array([limit for _, limit, _ in rows], dtype=float)


def solve_by_digits(
    form: StandardForm,
    numbers: WholeNumbers,
    options: Options,
    start: Array | None = None,
    deadline: Deadline | None = None,
    *,
    cost: float = 1.0,
) -> MipSearch:
    """The best point of a form whose rows or objective of whole numbers are written in digits.

    Parameters
    ----------
    form : StandardForm
        Linear, with integers; the continuous columns may be in other units.
    numbers : WholeNumbers
        What of it is made of whole numbers, in the user's units.
    options : mapping
        HiGHS options; gaps among them count for objectives without steps alone.
    start : ndarray, optional
        A point to begin with.
    deadline : Deadline, optional
    cost : float
        The unit of the form's objective: the factor of what the user wrote.
    """
    if numbers.contradiction:
        return MipSearch("kInfeasible", None, None)
    lower, upper = form.ranges()
    digits = DigitRows(lower.tolist(), upper.tolist())
    for row in numbers.rows:
        terms = dict(zip(row.columns, row.counts, strict=True))
        digits.add(terms, row.limit or 0, equation=row.equation)
    others = np.setdiff1d(np.flatnonzero(np.isfinite(form.b)), [row.row for row in numbers.rows])
    begun = deadline or Deadline()
    if numbers.objective is None:
        return _float_objective(form, digits, others, options, start, begun)
    levels = digits.levels(
        dict(zip(numbers.objective.columns, numbers.objective.counts, strict=True))
    )
    plain = {k: v for k, v in options.items() if k not in ("mip_rel_gap", "mip_abs_gap")}
    found, rows = MipSearch("kUnknown", None, None), len(digits.rows)
    whole = form.integer is not None and form.integer.size == form.c.size
    for tolerance in TOLERANCES if whole else TOLERANCES[1:]:  # a big M leaks sooner
        del digits.rows[rows:]
        plain["mip_feasibility_tolerance"] = tolerance
        found = _in_turn(form, digits, others, levels, numbers.objective, plain, start, begun, cost)
        if found.x is None or not numbers.excess(found.x):
            return found
    return replace(found, said="kUnknown")


def _float_objective(
    form: StandardForm, digits: DigitRows, others: Array, options: Options, start: Array | None,
    deadline: Deadline,
) -> MipSearch:  # fmt: skip
    program = digits.form_of(form, others)
    program.c[: form.c.size] = form.c
    begin = None if start is None else digits.completed(start)
    found = solve_mip(program, options, begin, deadline)
    return replace(found, x=None if found.x is None else found.x[: form.c.size])


def _in_turn(
    form: StandardForm,
    digits: DigitRows,
    others: Array,
    levels: list[tuple[WholeTerms, int]],
    objective: WholeObjective,
    options: Options,
    start: Array | None,
    deadline: Deadline,
    cost: float,
) -> MipSearch:
    """One level after the other, each held at its optimum."""

    def bound_of(count: int) -> float:
        return float(objective.step * count) * cost + form.offset

    n, known, nodes, x = form.c.size, 0, 0, start
    for place, (terms, worth) in enumerate(levels):
        program = replace(digits.form_of(form, others), offset=0.0)
        program.c[list(terms)] = list(terms.values())
        begin = None if x is None else digits.completed(x)
        # What a level finds on its way is no value of the objective that anybody asked for.
        found = solve_mip(program, options, begin, deadline.child(), on_face=place > 0)
        nodes += found.nodes or 0
        if found.x is not None:
            x = found.x[:n].copy()
            x[form.integer] = np.rint(x[form.integer])
        if found.status is not Status.OPTIMAL or x is None or found.x is None:
            bound = found.bound
            if bound is not None:
                bound = bound_of(known + worth * ceil(bound - INTEGER_ROUNDING))
            # Whoever holds a level has its point, whatever is said of the next.
            said = found.said if place == 0 or found.status.is_limit else "kUnknown"
            return MipSearch(said, None if said == "kInfeasible" else x, bound, nodes)
        value = sum(c * round(float(found.x[j])) for j, c in terms.items())
        known += worth * value
        digits.rows.append((terms, float(value), True))
        deadline.latest = form.objective(x), bound_of(known)
        if deadline.enough:
            said = "kOptimal" if place == len(levels) - 1 else "kInterrupt"
            return MipSearch(said, x, bound_of(known), nodes)
    return MipSearch("kOptimal", x, bound_of(known), nodes)
