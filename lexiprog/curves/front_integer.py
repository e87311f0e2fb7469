"""Two objectives over whole numbers: every non-dominated point, one integer program each.

From the point with the least first objective to that with the least second, each program asks for
the least first objective among all points whose second is better than the last one's (the augmented
epsilon-constraint method). Its answer is the next point, and proves that nothing lies between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Options
from lexiprog.curves.integers.programs import IntegerPrograms
from lexiprog.curves.integers.search import FrontSearch, IntegerFront
from lexiprog.curves.integers.staircase import Measure, Staircase
from lexiprog.curves.pace import Pace
from lexiprog.forms.standard_form import StandardForm

__all__ = ["IntegerFront", "integer_front"]

# How fine a front is sampled, as a share of its height: if it has finitely many points that are
# too close to count, and if it may have whole segments.
FINE, COARSE = 1e-6, 1e-2


def integer_front(
    form: StandardForm,
    first: Array,
    second: Array,
    *,
    resolution: float | None = None,
    limit: int | None = None,
    pace: Pace | None = None,
    resume: IntegerFront | None = None,
    options: Options | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> IntegerFront:
    """Every non-dominated point of two costs over the integer points of a linear form.

    If one objective has costs on integer columns alone, in whole steps (a common divisor that is
    not too fine), the front is complete: the limit on that objective falls by one step at a time.
    Otherwise it falls by ``resolution``, which is reported.

    Parameters
    ----------
    form : StandardForm
        Linear rows and integer columns; its own cost is not looked at.
    first, second : ndarray of shape (n,)
        The costs, both minimised.
    resolution : float, optional
        Least difference of the second objective between two points, where no step is known.
    limit : int, optional
        Most points.
    pace : Pace, optional
        How long it may take. What stops it is noted there; what was found is kept, and ``missing``
        says where there may be more.
    resume : IntegerFront, optional
        An unfinished front of the same numbers to go on from.
    options : mapping, optional
        HiGHS options.
    tick : callable, optional
        Told of every point.

    Raises
    ------
    CurveError
        If nothing is feasible, an objective is unbounded or a point cannot be proved.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> form = StandardForm(c=np.zeros(3), offset=0.0, A=sp.csc_array([[3.0, 4.0, 2.0]]),
    ...                     b=np.array([6.0]), cones=Cones(nonneg=1), lower=np.zeros(3),
    ...                     upper=np.ones(3), integer=np.arange(3))
    >>> front = integer_front(form, np.array([-5.0, -2.0, -2.0]), np.array([-1.0, -4.0, -3.0]))
    >>> front.points.tolist(), front.complete
    ([[-7.0, -4.0], [-4.0, -7.0]], True)
    """
    _check(form, first, second, limit)
    mark = _fingerprint(form, first, second)
    if resume is not None and resume.fingerprint != mark:
        raise ValueError("the front to go on from belongs to other numbers than these.")
    integer = np.asarray(form.integer, dtype=np.intp)
    measures = [Measure.of(first, integer), Measure.of(second, integer)]
    # The one that is limited should have steps, so that none of its values is passed over.
    turned = measures[1].steps is None and measures[0].steps is not None
    if turned:
        measures.reverse()
    rows = np.stack([measure.row for measure in measures])
    programs = IntegerPrograms(form, rows, options or {}, pace)
    search = FrontSearch(Staircase(programs, (measures[0], measures[1])), tick, turned=turned)
    if resume is not None:
        search.recall(resume)
    finite = bool(np.all(np.isin(np.flatnonzero(np.abs(first) + np.abs(second)), integer)))
    with programs.handle.pace.kept():
        search.run(resolution, FINE if finite else COARSE, limit)
    if not search.done:
        search.note = programs.handle.pace.note or search.note
    return search.front(mark)


def _check(form: StandardForm, first: Array, second: Array, limit: int | None) -> None:
    if form.P is not None or form.cones.linear != form.b.size:
        raise ValueError("an integer front needs linear rows: no quadratic term, no cones.")
    if form.integer is None or not len(form.integer):
        raise ValueError("an integer front needs integer columns; linear_front needs none.")
    for cost in (first, second):
        if cost.shape != form.c.shape or not np.all(np.isfinite(cost)):
            raise ValueError(f"an objective has a finite cost for each of {form.c.size} columns.")
    if limit is not None and limit < 2:
        raise ValueError(f"limit is at least 2, the two ends of a front, not {limit!r}.")


def _fingerprint(form: StandardForm, first: Array, second: Array) -> str:
    """A short word for all the numbers that a front rests on."""
    A = sp.csc_array(form.A)
    A.sort_indices()
    parts = (A.indptr, A.indices, A.data, form.b, form.lower, form.upper, form.integer)
    word = hashlib.sha256(repr((A.shape, form.cones)).encode())
    for part in (*parts, first, second):
        word.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
    return word.hexdigest()[:16]
