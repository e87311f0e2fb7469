"""Search for whole points on HiGHS directly: from a start, within a limit, stopped when asked.

HiGHS looks at the clock and at its callbacks now and then only, a second apart at worst. Whoever
waits for it does not: the best point is kept as it is found, and a search that does not return
soon after it was asked to is left to end by itself.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from functools import partial

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import WORDS, as_model
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.certify.ranges import implied_ranges
from lexiprog.deadline import Deadline
from lexiprog.status import Status
from lexiprog.tolerances import INTEGER_ROUNDING, LARGE_M, SUM_ROUNDING
from lexiprog.typing import Array, Highs, Mask, Options

# Seconds between two looks, and those that a search has to return once it was asked to.
PULSE, GRACE = 0.05, 0.2

# On the face of an earlier level, which is as thin as can be, HiGHS's presolve loses points.
# Problems with so few numbers are searched without it, for that many nodes and seconds: where
# integers have no bounds, HiGHS may never get to its first node.
SMALL = 1_000
HASTY, SECONDS = {"presolve": "off", "mip_max_nodes": 200}, 1.0

# HiGHS's number for a point within the rows.
FEASIBLE = 2

# A search that is stopped may have a point, unlike a linear program that is.
_LIMITS = ("kTimeLimit", "kInterrupt", "kIterationLimit", "kSolutionLimit", "kMemoryLimit")
_WORDS = WORDS | dict.fromkeys(_LIMITS, Status.LIMIT)


@dataclass(frozen=True)
class MipSearch:
    """The best whole point found, if any, and a bound that no point is below, if any."""

    said: str
    x: Array | None
    bound: float | None
    nodes: int | None = None

    @property
    def status(self) -> Status:
        """HiGHS's status in our words."""
        status = _WORDS.get(self.said, Status.FAILED)
        return Status.NO_POINT if status is Status.LIMIT and self.x is None else status


class MipModel:
    """One HiGHS object: its matrix grows by rows, its costs and limits change.

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
        self._highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        self._highs.setOptionValue("output_flag", False)
        for name, value in ({"mip_rel_gap": 0.0} | dict(options)).items():
            if self._highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")
        model = as_model(form.A, form.c, Bounds.of(form))
        pass_whole(self._highs, model, form.integer)
        self._limit = float(options.get("time_limit", np.inf))
        self.lost = self.on_face = False
        self._small = form.A.nnz <= SMALL and not options.keys() & {"presolve", "mip_max_nodes"}

    def add_row(self, coefficients: Array) -> None:
        """One more row, without limits as yet."""
        places = np.flatnonzero(coefficients).astype(np.int32)
        self._highs.addRow(-np.inf, np.inf, places.size, places, coefficients[places])

    def search(
        self, cost: Array, bounds: Bounds, offset: float, start: Array | None, deadline: Deadline
    ) -> MipSearch:
        """The best point that there is time to find; ``offset`` is added to every value."""
        highs = self._highs
        for count, change, values in (
            (cost.size, highs.changeColsCost, (cost,)),
            (cost.size, highs.changeColsBounds, (bounds.lower, bounds.upper)),
            (bounds.row_upper.size, highs.changeRowsBounds, (bounds.row_lower, bounds.row_upper)),
        ):
            change(count, np.arange(count, dtype=np.int32), *values)
        highs.clearSolver()
        highs.setOptionValue("output_flag", deadline.verbose)
        seen = _Seen(offset, start, None if start is None else float(cost @ start))
        careful = self._small and self.on_face and self._may_begin(seen, deadline)
        if not (careful and self._is_easy(seen, deadline)):
            if not self._may_begin(seen, deadline):
                return seen.search("kTimeLimit")
            self._run(seen, deadline)
            infeasible = not self.lost and self._small and self._ended("kInfeasible")
            # Which presolve has been seen to say of feasible ones.
            if infeasible and not self._is_easy(seen, deadline) and not self._has_point:
                return MipSearch("kInfeasible", None, None)
        if self.lost:
            return seen.search("kTimeLimit")
        info = highs.getInfo()
        bound = float(info.mip_dual_bound) + offset
        return MipSearch(
            highs.getModelStatus().name,
            # No zero is below zero.
            np.array(highs.getSolution().col_value) + 0.0 if self._has_point else None,
            bound if np.isfinite(bound) else None,
            int(info.mip_node_count),
        )

    def _may_begin(self, seen: _Seen, deadline: Deadline) -> bool:
        """Whether there is time; the search then begins at the best point seen so far."""
        seconds = deadline.for_solver
        if seen.x is not None:
            solution = highspy.HighsSolution()
            solution.col_value = seen.x
            self._highs.setSolution(solution)
        self._highs.setOptionValue("time_limit", self._limit if seconds is None else seconds)
        return seconds != 0.0

    @property
    def _has_point(self) -> bool:
        return bool(self._highs.getInfo().primal_solution_status == FEASIBLE)

    def _is_easy(self, seen: _Seen, deadline: Deadline) -> bool:
        """Whether a search without presolve comes to an end in a few nodes and a second."""
        left = self._highs.getOptionValue("time_limit")[1]
        hasty = HASTY | {"time_limit": min(SECONDS, left)}
        plain = {name: self._highs.getOptionValue(name)[1] for name in hasty}
        for name, value in hasty.items():
            self._highs.setOptionValue(name, value)
        self._run(seen, deadline)
        if self.lost or deadline.should_stop:
            return True
        for name, value in plain.items():
            self._highs.setOptionValue(name, value)
        return self._ended("kOptimal", "kInfeasible")

    def _ended(self, *words: str) -> bool:
        return self._highs.getModelStatus().name in words

    def _run(self, seen: _Seen, deadline: Deadline) -> None:
        """Let HiGHS run in a thread of its own, and wait for it no longer than asked to."""

        def look(event: Highs) -> None:
            seen.look(event.data_out)
            deadline.latest = seen.values
            event.interrupt(deadline.should_stop)  # HiGHS remembers a yes from search to search

        improving = self._highs.cbMipImprovingSolution.subscribe(seen.keep)
        interrupt = self._highs.cbMipInterrupt.subscribe(look)
        thread = threading.Thread(target=self._highs.run, name="lexiprog-highs")
        thread.start()
        asked = np.inf
        while True:
            thread.join(PULSE)
            if not thread.is_alive():
                break
            now = time.monotonic()
            asked = min(asked, now) if deadline.should_stop else np.inf
            if now - asked >= GRACE:
                self.lost = True
                return
        improving.unsubscribe(seen.keep)
        interrupt.unsubscribe(look)


def pass_whole(highs: Highs, model: Highs, integer: NDArray[np.intp] | Mask | None) -> None:
    """Give HiGHS a model some of whose columns, by place or by a mask, must be whole.

    Its heuristic "feasibility jump" reads beyond its memory where a whole column has no bounds,
    which ends the process (HiGHS 1.15.1): it is left out there.
    """
    kinds = np.full(model.num_col_, highspy.HighsVarType.kContinuous)
    integer = np.zeros(0, dtype=np.intp) if integer is None else integer
    kinds[integer] = highspy.HighsVarType.kInteger
    model.integrality_ = list(kinds)
    ends = np.concatenate([np.asarray(e)[integer] for e in (model.col_lower_, model.col_upper_)])
    if not np.isfinite(ends).all():
        highs.setOptionValue("mip_heuristic_run_feasibility_jump", False)
    highs.passModel(model)


class _Seen:
    """What the callbacks of a search have shown so far."""

    def __init__(self, offset: float, x: Array | None, value: float | None) -> None:
        self._offset, self.x, self._value = offset, x, value
        self._bound: float | None = None

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The best value and the bound."""
        both = (self._value, self._bound)
        value, bound = (None if v is None else v + self._offset for v in both)
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
    """The best point of a form by itself, found wherever the watch says."""
    if deadline is not None and deadline.elsewhere is not None:
        search = partial(solve_mip, on_face=on_face)
        return deadline.elsewhere.call(
            search, form, deadline.limiting(options), start, deadline=deadline
        )
    model = MipModel(form, options)
    model.on_face = on_face
    return model.search(form.c, Bounds.of(form), form.offset, start, deadline or Deadline())


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
