"""Curved problems with integers: branch and bound over continuous relaxations that are proved.

A node is a box of the integer columns. What no point in it is below follows from multipliers of
its relaxation, as for any continuous optimum; that no point is in it, from multipliers too or from
the ranges that the rows leave. A solver's word closes no node: one that nothing is proved of stays
open, and is divided as long as it can be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import chain, count

import numpy as np

from lexiprog.backends.clarabel import Interior, solve_or_refute
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.measures import Proof, measure, prove
from lexiprog.certify.polish import candidates
from lexiprog.certify.ranges import implied_ranges, stated_ranges
from lexiprog.certify.terms import TermSizes
from lexiprog.deadline import Deadline
from lexiprog.tolerances import (
    CERTIFIED,
    INTEGER_ROUNDING,
    NEARNESS,
)
from lexiprog.typing import Array

# Relaxations that are solved before a search ends with the bound that it has.
NODES = 2_000
# How near a node's bound comes to the best value to be closed, as a share of the tolerance.
CLOSE = 0.5
# How often the ranges of columns are looked at, as long as those of integers shrink.
_PASSES = 8


@dataclass(frozen=True)
class TreeSearch:
    """What a search has found.

    Attributes
    ----------
    best : Proof or None
        The best point, its integers whole, with what is proved of it among all with these integers.
    bound : float
        What no feasible point is below; infinite if it is proved that there is none.
    nodes : int
        Relaxations that were solved.
    finished : bool
        Whether every node was closed.
    unbounded : bool
        Whether the objective falls without end if integers need not be whole.
    """

    best: Proof | None
    bound: float
    nodes: int
    finished: bool
    unbounded: bool = False


@dataclass(frozen=True)
class Node:
    """The ranges of all columns, what no point in them is below, and the relaxation's point."""

    bound: float
    lower: Array
    upper: Array
    x: Array | None


def branch_and_bound(
    form: StandardForm,
    start: Array | None = None,
    *,
    tolerance: float = CERTIFIED,
    gap: float | None = None,
    deadline: Deadline | None = None,
    leaf: Leaf | None = None,
    most: int = NODES,
) -> TreeSearch:
    """Search for the least of a convex form over the whole values of its integer columns.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers, in units that suit a solver.
    start : ndarray, optional
        A point near whole ones, to begin with.
    tolerance, gap : float
        What an optimum is certified to, and what the user is content with, if that is more.
    deadline : Deadline, optional
        When to stop with what there is.
    leaf : callable, optional
        What solves the form with all its integers fixed; it may say of which form that is an
        optimum, which then stands for the given one.
    most : int
        The relaxations after which it stops, too.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b = sp.csc_array(np.array([[-1.0, -1.0]])), np.array([-2.5])  # x + y >= 2.5
    >>> form = StandardForm(
    ...     np.zeros(2), 0.0, A, b, Cones(nonneg=1), P=sp.csc_array(np.diag([2.0, 4.0])),
    ...     integer=np.array([0, 1]),
    ... )
    >>> found = branch_and_bound(form)  # least x**2 + 2 y**2
    >>> found.best.x, round(found.bound, 4), found.finished
    (array([2., 1.]), 6.0, True)
    """
    limit = Deadline() if deadline is None else deadline
    return _Tree(form, tolerance, gap, limit, most, leaf or _as_it_is).search(start)


# A form with fixed integers, solved, and the form that the answer is to be measured by.
Leaf = Callable[[StandardForm, Deadline], tuple[StandardForm, Interior | None]]


def _as_it_is(form: StandardForm, deadline: Deadline) -> tuple[StandardForm, Interior | None]:
    return form, solve_or_refute(form, deadline)


@dataclass
class _Tree:
    """A search under way: its best point, its open nodes, and the least bound of closed ones."""

    form: StandardForm
    tolerance: float
    gap: float | None
    deadline: Deadline
    most: int
    leaf: Leaf
    best: Proof | None = None
    value: float = np.inf
    cutoff: float = np.inf
    least: float = np.inf
    nodes: int = 0
    unbounded: bool = False
    open: list[tuple[float, int, Node]] = field(default_factory=list)
    leaves: dict[bytes, Node | None] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=count)

    def search(self, start: Array | None) -> TreeSearch:
        if start is not None:
            self._try(start)
        self._enter(*stated_ranges(self.form), -np.inf)
        while self.open and self.open[0][0] < self.cutoff and not self._stopped:
            node = heappop(self.open)[-1]
            at = self._divide(node)
            if at is None:
                self.least = min(self.least, node.bound)
                continue
            column, value = at
            for end, side in ((node.upper, value), (node.lower, value + 1.0)):
                ends = end.copy()
                ends[column] = side
                box = (node.lower, ends) if end is node.upper else (ends, node.upper)
                self._enter(*box, node.bound)
            self._tell()
        bound = min([self.least, *(key for key, *_ in self.open)])
        finished = not self.open or self.open[0][0] >= self.cutoff
        bound = min(bound, self.value)
        return TreeSearch(self.best, bound, self.nodes, finished, self.unbounded)

    @property
    def _stopped(self) -> bool:
        return self.unbounded or self.deadline.should_stop or self.nodes >= self.most

    def _tell(self) -> None:
        bound = min([self.least, *(key for key, *_ in self.open[:1])])
        pair = (float(end) if np.isfinite(end) else None for end in (self.value, bound))
        self.deadline.latest = next(pair), next(pair)

    def _enter(self, lower: Array, upper: Array, known: float) -> None:
        """Solve the relaxation of a box; it is open unless something proved closes it."""
        box = shrunk(self.form, lower, upper, self.tolerance)
        if box is None:
            return
        node = self._solved(*box, known)
        if node is None:
            return
        if node.x is not None and node.bound < self.cutoff and not self._stopped:
            self._try(node.x)
        if node.bound >= self.cutoff:
            self.least = min(self.least, node.bound)
        else:
            heappush(self.open, (node.bound, -next(self.numbers), node))

    def _try(self, x: Array) -> None:
        """The best point with integers rounded, if there is one."""
        lower, upper = (ends.copy() for ends in stated_ranges(self.form))
        columns = self.form.integer
        whole = np.clip(np.round(x[columns]), np.ceil(lower[columns]), np.floor(upper[columns]))
        lower[columns] = upper[columns] = whole
        if whole.tobytes() in self.leaves:
            return
        box = shrunk(self.form, lower, upper, self.tolerance)
        if box is not None:
            self._solved(*box, -np.inf)

    def _solved(self, lower: Array, upper: Array, known: float) -> Node | None:
        """A box with its bound; None if it is proved to be empty."""
        key = lower[self.form.integer].tobytes()
        form = replace(self.form, integer=None, lower=lower, upper=upper)
        if (lower[self.form.integer] < upper[self.form.integer]).any():
            return self._bounded(*_as_it_is(form, self.deadline), lower, upper, known)
        if key not in self.leaves:
            solved = self.leaf(form, self.deadline)
            self.leaves[key] = self._bounded(*solved, lower, upper, known, fixed=True)
        return self.leaves[key]

    def _bounded(
        self, form: StandardForm, found: Interior | None, lower: Array, upper: Array,
        known: float, *, fixed: bool = False,
    ) -> Node | None:  # fmt: skip
        """What is proved of a box by an answer to its form."""
        self.nodes += 1
        unknown = Node(known, lower, upper, None)
        if found is None or found.unbounded:
            self.unbounded |= found is not None
            return unknown
        if found.infeasible:
            return None if refuted(form, found.z, NEARNESS * self.tolerance) else unknown
        x = form.within_bounds(found.x)
        value, whole = form.objective(x), x[self.form.integer]
        proof = Proof(
            x, found.z, measure(form, x, found.z, claimed=value, tolerance=self.tolerance)
        )
        bound = -np.inf if proof.measures.bound is None else proof.measures.bound
        near = np.abs(whole - np.round(whole)).max() <= INTEGER_ROUNDING
        if fixed or (bound < self.cutoff and (near or value >= self.cutoff)):
            proof = prove(form, x, found.z, claimed=value, tolerance=self.tolerance)
            bound = bound if proof.measures.bound is None else max(bound, proof.measures.bound)
        if fixed:
            self._keep(replace(self.form, integer=None, lower=lower, upper=upper), proof)
        return Node(max(bound, known), lower, upper, proof.x)

    def _keep(self, form: StandardForm, proof: Proof) -> None:
        """Keep a point whose integers are whole, if it is one and better than the best so far."""
        x = clean(form, proof.x, self.tolerance)
        if x is None or (self.best is not None and form.objective(x) >= self.value):
            return
        self.best, self.value = replace(proof, x=x), form.objective(x)
        share = max(CLOSE * self.tolerance, self.gap or 0.0)
        room = max(share * abs(self.value), CLOSE * proof.measures.rounding)
        self.cutoff = self.value - room

    @np.errstate(invalid="ignore")
    def _divide(self, node: Node) -> tuple[int, float] | None:
        """The most fractional column and where it is divided; None if the box is one point."""
        columns = np.asarray(self.form.integer)
        lower, upper = node.lower[columns], node.upper[columns]
        # Of an infinite range there is no middle.
        middle = 0.5 * (lower + upper) if node.x is None else node.x[columns]
        wide = (lower < upper) & np.isfinite(middle)
        if not wide.any():
            return None
        fractions = np.where(wide, np.abs(middle - np.round(middle)), -1.0)
        chosen = int(np.argmax(fractions))
        at = np.clip(np.floor(middle[chosen]), lower[chosen], upper[chosen] - 1.0)
        return int(columns[chosen]), float(at)


def shrunk(
    form: StandardForm, lower: Array, upper: Array, tolerance: float
) -> tuple[Array, Array] | None:
    """Ranges of all columns, those of integers as far as rows leave them; None if there is nothing.

    Other columns get a new range only where that is a single number.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b = sp.csc_array(np.array([[2.0, 1.0]])), np.array([5.0])  # 2 n + x <= 5
    >>> form = StandardForm(np.ones(2), 0.0, A, b, Cones(nonneg=1), integer=np.array([0]))
    >>> lower, upper = shrunk(form, np.zeros(2), np.array([9.0, 9.0]), 1e-6)
    >>> upper
    array([2., 9.])
    """
    integer, low, high = form.integer, lower, upper
    within = NEARNESS * tolerance
    for _ in range(_PASSES):
        before = low[integer], high[integer]
        low, high = implied_ranges(form, start=(low, high), passes=1)
        low[integer] = np.ceil(low[integer] - INTEGER_ROUNDING)
        high[integer] = np.floor(high[integer] + INTEGER_ROUNDING)
        if (low - high > within * (np.abs(low) + np.abs(high))).any():
            return None
        if (low[integer] == before[0]).all() and (high[integer] == before[1]).all():
            break
    use = low == high
    use[integer] = True
    return np.where(use, low, lower), np.where(use, high, upper)


def clean(form: StandardForm, x: Array, tolerance: float) -> Array | None:
    """The point, or one near it, that meets rows, bounds and cones; None if none is at hand."""
    nothing = np.zeros(form.b.size)
    for point in chain([x], (point for point, _ in candidates(form, x, nothing))):
        found = measure(form, point, None, claimed=form.objective(point), tolerance=tolerance)
        if not found.certificate.failures.keys() & {"rows", "cones"}:
            return point
    return None


@np.errstate(over="ignore", invalid="ignore")  # what overflows refutes nothing
def refuted(form: StandardForm, z: Array, within: float) -> bool:
    """Whether multipliers prove that no point meets the rows and bounds.

    What is off by less than ``within`` of its terms is not distinguished from what can be had.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A, b = sp.csc_array(np.array([[1.0, 1.0]])), np.array([1.0])  # x + y <= 1, both at least 1
    >>> form = StandardForm(np.ones(2), 0.0, A, b, Cones(nonneg=1), lower=np.ones(2))
    >>> refuted(form, np.ones(1), 1e-7), refuted(form, -np.ones(1), 1e-7)
    (True, False)
    """
    form = replace(form, c=np.zeros(form.c.size), P=None, offset=0.0)
    x = form.within_bounds(np.zeros(form.c.size))
    terms = TermSizes(form, x, z)
    near = terms.measure(x, z)
    charges = np.abs(terms.form.transpose_product(near.z)) * np.abs(x)
    return lower_bound(terms, x, near.z) > within * (near.size + float(charges.sum()))
