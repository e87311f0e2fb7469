"""Integer search on HiGHS: from a start, within a limit, stopped when asked.

HiGHS looks at the clock and at its callbacks now and then only, a second apart at worst. Whoever
waits for it does not: the best point is kept as it is found, and a search that does not return
soon after it was asked to is left to end by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import WORDS, HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.certify.ranges import implied_ranges
from lexiprog.deadline import Deadline
from lexiprog.status import Status
from lexiprog.tolerances import INTEGER_ROUNDING, LARGE_M, ROUNDED_POINT, SUM_ROUNDING
from lexiprog.typing import Array, Highs, Options

# On the face of an earlier level, which is as thin as can be, HiGHS's presolve loses points.
# Problems with so few numbers are searched without it, for that many nodes and seconds: where
# integers have no bounds, HiGHS may never get to its first node.
SMALL = 1_000
GAP = {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
HASTY, SECONDS = {"presolve": "off", "mip_max_nodes": 200}, 1.0

# A search that is stopped may have a point, unlike a linear program that is.
_LIMITS = ("kTimeLimit", "kInterrupt", "kIterationLimit", "kSolutionLimit", "kMemoryLimit")
_WORDS = WORDS | dict.fromkeys(_LIMITS, Status.LIMIT)


@dataclass(frozen=True)
class MipSearch:
    """The best integer point found, if any, and a bound that no point is below, if any."""

    said: str
    x: Array | None
    bound: float | None
    nodes: int | None = None
    word: str = ""  # whose word the bound is, if nobody has checked it

    @property
    def status(self) -> Status:
        """HiGHS's status in our words."""
        status = _WORDS.get(self.said, Status.FAILED)
        return Status.NO_POINT if status is Status.LIMIT and self.x is None else status


class MipModel:
    """An integer program inside HiGHS: its matrix grows by rows, its costs and limits change.

    Parameters
    ----------
    form : StandardForm
        Linear, with integers; its columns and rows are those of every search.
    options : mapping
        HiGHS options.

    Attributes
    ----------
    on_face : bool
        Whether some of the rows hold optima of earlier levels.
    lost : bool
        Whether a search is left to itself, and with it this object.
    """

    def __init__(self, form: StandardForm, options: Options) -> None:
        self._model = HighsModel(
            form.A, GAP | dict(options), form.c, Bounds.of(form), integer=form.integer
        )
        self._limit = float(options.get("time_limit", np.inf))
        self.lost = self.on_face = False
        self._small = form.A.nnz <= SMALL and not options.keys() & {"presolve", "mip_max_nodes"}

    def search(
        self, cost: Array, bounds: Bounds, offset: float, start: Array | None, deadline: Deadline
    ) -> MipSearch:
        """The best point that there is time to find; ``offset`` is added to every value."""
        model = self._model
        model.set_cost(cost)
        model.set_columns(bounds.lower, bounds.upper)
        model.set_rows(bounds.row_lower, bounds.row_upper)
        model.clear()
        model.set_options({"output_flag": deadline.verbose})
        incumbent = _Incumbent(offset, start, None if start is None else float(cost @ start))
        careful = self._small and self.on_face and self._may_begin(incumbent, deadline)
        if careful and self._is_easy(incumbent, deadline):
            return self._confirmed(cost, incumbent, deadline)
        if not self._may_begin(incumbent, deadline):
            return incumbent.search("kTimeLimit")
        self._run(incumbent, deadline)
        if self._is_surely_infeasible(incumbent, deadline):
            return MipSearch("kInfeasible", None, None)
        return self._found(incumbent)

    def _confirmed(self, cost: Array, incumbent: _Incumbent, deadline: Deadline) -> MipSearch:
        """What a search without presolve found, or the better point of one with it.

        Each has been seen to call a point optimal that the other betters.
        """
        found = self._found(incumbent)
        if found.x is None or found.said != "kOptimal" or not self._may_begin(incumbent, deadline):
            return found
        self._run(incumbent, deadline)
        again = self._found(incumbent)
        if again.x is None or again.said != "kOptimal":
            return found
        gain = cost @ found.x - cost @ again.x
        return again if gain > SUM_ROUNDING * (abs(cost) @ abs(found.x)) else found

    def _found(self, incumbent: _Incumbent) -> MipSearch:
        """What the last search found."""
        if self.lost:
            return incumbent.search("kTimeLimit")
        model, info = self._model, self._model.info
        bound = float(info.mip_dual_bound) + incumbent.offset
        return MipSearch(
            model.status,
            # No zero is below zero.
            np.array(model.solution.col_value) + 0.0 if model.has_point else None,
            bound if np.isfinite(bound) else None,
            int(info.mip_node_count),
        )

    def _may_begin(self, incumbent: _Incumbent, deadline: Deadline) -> bool:
        """Whether there is time; the search then begins at the best point so far."""
        seconds = deadline.for_solver
        if incumbent.x is not None:
            self._model.set_start(incumbent.x)
        self._model.set_options({"time_limit": self._limit if seconds is None else seconds})
        return seconds != 0.0

    def _is_easy(self, incumbent: _Incumbent, deadline: Deadline) -> bool:
        """Whether a search without presolve comes to an end in a few nodes and a second."""
        left = self._model.option("time_limit")
        hasty = HASTY | {"time_limit": min(SECONDS, left)}
        plain = {name: self._model.option(name) for name in hasty}
        self._model.set_options(hasty)
        self._run(incumbent, deadline)
        if self.lost or deadline.should_stop:
            return True
        self._model.set_options(plain)
        return self._model.status in ("kOptimal", "kInfeasible")

    def _is_surely_infeasible(self, incumbent: _Incumbent, deadline: Deadline) -> bool:
        """Whether a small search ended without a point, which presolve has been seen to lose."""
        if self.lost or not self._small or self._model.status != "kInfeasible":
            return False
        return not self._is_easy(incumbent, deadline) and not self._model.has_point

    def _run(self, incumbent: _Incumbent, deadline: Deadline) -> None:
        """Let HiGHS run, and wait for it no longer than asked to."""

        def look(event: Highs) -> None:
            incumbent.look(event.data_out)
            deadline.latest = incumbent.values
            event.interrupt(deadline.should_stop)  # HiGHS remembers a yes from search to search

        self.lost = not self._model.search(incumbent.keep, look, lambda: deadline.should_stop)


class _Incumbent:
    """The best point and bound that the callbacks of a search have shown so far."""

    def __init__(self, offset: float, x: Array | None, value: float | None) -> None:
        self.offset, self.x, self._value = offset, x, value
        self._bound: float | None = None

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The best value and the bound."""
        both = (self._value, self._bound)
        value, bound = (None if v is None else v + self.offset for v in both)
        return value, bound

    def keep(self, event: Highs) -> None:
        """A better point."""
        value = float(event.data_out.objective_function_value)
        if self._value is None or value < self._value:
            self.x, self._value = np.array(event.data_out.mip_solution, dtype=float), value

    def look(self, data: Highs) -> None:
        """A better bound."""
        bound = float(data.mip_dual_bound)
        if np.isfinite(bound):
            self._bound = bound if self._bound is None else max(self._bound, bound)

    def search(self, said: str) -> MipSearch:
        """What there is."""
        return MipSearch(said, self.x, self.values[1])


def solve_mip(
    form: StandardForm,
    options: Options,
    start: Array | None = None,
    deadline: Deadline | None = None,
    *,
    on_face: bool = False,
) -> MipSearch:
    """The best point of a form by itself, found wherever the deadline says."""
    if deadline is not None and deadline.executor is not None:
        search = partial(solve_mip, on_face=on_face)
        found = deadline.executor.call(
            search, form, deadline.limiting(options), start, deadline=deadline
        )
        if not isinstance(found, MipSearch):
            raise TypeError(f"a worker sent {type(found).__name__}, which is no search")
        if deadline.executor.trusted:
            return found
        return _searched_again(found, form, options, deadline, on_face=on_face)
    model = MipModel(form, options)
    model.on_face = on_face
    return model.search(form.c, Bounds.of(form), form.offset, start, deadline or Deadline())


# Seconds for a search of our own, where a worker's word is all there is.
CHECKED = 1.0
WORD = "that nothing is better is what a worker says, which was not checked here"


def _searched_again(
    found: MipSearch, form: StandardForm, options: Options, deadline: Deadline, *, on_face: bool
) -> MipSearch:
    """What a search here finds from a worker's point on; theirs, marked so, if time ends first."""
    x = None if found.x is None else np.asarray(found.x, dtype=float)
    start = x if x is not None and _is_inside(form, x) else None
    model = MipModel(form, options)
    model.on_face = on_face
    again = model.search(form.c, Bounds.of(form), form.offset, start, deadline.child(CHECKED))
    if again.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED):
        return again
    better = again.x is not None and (
        start is None
        or form.c @ again.x < form.c @ start - SUM_ROUNDING * (abs(form.c) @ abs(start))
    )
    return again if better else replace(found, word=WORD)


def _is_inside(form: StandardForm, x: Array) -> bool:
    """Whether a point is one of the problem, but for rounding."""
    if x.shape != form.c.shape or not np.isfinite(x).all():
        return False
    slack, zero = form.slack(x), form.cones.zero
    terms = ROUNDED_POINT * (1.0 + np.abs(form.b) + abs(form.A) @ np.abs(x))
    lower, upper = form.ranges()
    near = ROUNDED_POINT * (1.0 + np.abs(x))
    rows = np.abs(slack[:zero]) <= terms[:zero], -slack[zero:] <= terms[zero:]
    return all(part.all() for part in (*rows, x >= lower - near, x <= upper + near))


# Replace a big M by what the rows, the bounds and a known value imply.
#
# ``x <= M y`` with M = 1e8 lets a solver that takes 1e-8 for zero ship one unit through a closed
# arc. If x can never exceed 7, ``x <= 7 y`` says the same of all whole y, and does not leak.


def small_m(form: StandardForm) -> StandardForm:
    """The form as it is searched: with smaller coefficients if whole columns have large ones.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0, -1e8], [1.0, 0.0]]))  # x <= 1e8 y and x <= 7
    >>> form = StandardForm(
    ...     np.array([-1.0, 9.0]), 0.0, A, np.array([0.0, 7.0]), Cones(nonneg=2),
    ...     lower=np.zeros(2), upper=np.array([np.inf, 1.0]), integer=np.array([1]),
    ... )
    >>> small_m(form).A.toarray().round(6)
    array([[ 1., -7.],
           [ 1.,  0.]])
    """
    return tightened(form) if largest_m(form) >= LARGE_M else form


def largest_m(form: StandardForm) -> float:
    """The largest coefficient of a whole column."""
    if form.integer is None or not form.integer.size:
        return 0.0
    whole = np.zeros(form.c.size, dtype=bool)
    whole[form.integer] = True
    A = sp.csc_array(form.A)
    return float(np.abs(A.data[np.repeat(whole, np.diff(A.indptr))]).max(initial=0.0))


def tightened(form: StandardForm, limit: float | None = None) -> StandardForm:
    """A form with the same optimal whole points and coefficients no larger than they need be.

    Parameters
    ----------
    form : StandardForm
        Linear, with integers.
    limit : float, optional
        A value of the objective that some point is known to attain; worse points are cut off.
    """
    if form.integer is None or not form.integer.size or form.P is not None:
        return form
    cut = None if limit is None else (form.c, limit - form.offset)
    low, high = implied_ranges(form, cut=cut)
    lower, upper = _integer_bounds(form, low, high)
    A, b = sp.csr_array(form.A, copy=True), form.b.copy()
    rows = np.repeat(np.arange(b.size), np.diff(A.indptr))
    ends = np.where(A.data > 0, upper[A.indices], lower[A.indices]) * A.data
    binary = np.zeros(form.c.size, dtype=bool)
    binary[form.integer] = (lower[form.integer] == 0.0) & (upper[form.integer] == 1.0)
    inequality = np.zeros(b.size, dtype=bool)
    inequality[form.cones.zero : form.cones.linear] = True
    # One coefficient a row, the largest of a binary column: changing two would need new sums.
    sizes = np.where(binary[A.indices] & inequality[rows], np.abs(A.data), 0.0)
    for row in np.flatnonzero(np.bincount(rows, sizes > 0, minlength=b.size)):
        part = slice(A.indptr[row], A.indptr[row + 1])
        k = part.start + int(np.argmax(sizes[part]))
        others = np.delete(ends[part], k - part.start)
        most = float(others.sum() + SUM_ROUNDING * np.abs(others).sum())
        if not np.isfinite(most):
            continue
        if A.data[k] < 0:
            A.data[k] = max(A.data[k], min(b[row] - most, 0.0))
        elif most < b[row]:
            room = min(b[row] - most, A.data[k])
            A.data[k], b[row] = A.data[k] - room, b[row] - room
    return replace(form, A=sp.csc_array(A), b=b, lower=lower, upper=upper)


def _integer_bounds(form: StandardForm, low: Array, high: Array) -> tuple[Array, Array]:
    """The ranges, with those of integer columns rounded inwards."""
    lower, upper = low.copy(), high.copy()
    whole = form.integer
    lower[whole] = np.ceil(lower[whole] - INTEGER_ROUNDING)
    upper[whole] = np.floor(upper[whole] + INTEGER_ROUNDING)
    return lower, upper
