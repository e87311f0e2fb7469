"""Candidates for a better proved optimum near a solver's answer, cheapest first.

A certificate compares with the terms of each row alone, so an answer must be clean: inside its
bounds, on its rows, with zeros that are zeros. Each candidate is another point with multipliers,
to be measured from scratch like any other; nothing is taken on trust.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.compensated import Pair, reduced_costs
from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.standard_form import StandardForm, by_columns, columns_of
from lexiprog.certify.feasible import equilibrium, factorised
from lexiprog.certify.newton import sharpened
from lexiprog.certify.ranges import stated_ranges
from lexiprog.certify.terms import (
    TermSizes,
    exact_reduced,
    exact_slack,
    ratio,
    starts_of_cones,
    worth,
)
from lexiprog.deadline import proof_must_end
from lexiprog.tolerances import EPS, FEW_ROUNDINGS, SUM_ROUNDING
from lexiprog.typing import Array, Mask, Matrix

# Columns this near a bound or zero, as a share of the room that their rows leave, may be there.
SNAPS = (1e-12, 1e-9, 1e-6, 1e-3)
# Multipliers that are worth less than this share of the objective's terms are nothing.
NOTHING = 1e-20
# Beyond so many equations the factors of an active set take too long.
LARGEST = 4_000
# The same where they are dense, and how often a point is moved on to another active set.
LARGEST_DENSE, MOST_STEPS = 500, 50
# What stands for nothing in the equations of an active set, whose numbers are about one.
_REGULAR = 1e-13


def candidates(form: StandardForm, x: Array, z: Array) -> Iterator[tuple[Array, Array]]:
    """Points and multipliers near ``x`` and ``z``, the cheapest first."""
    lower, upper = stated_ranges(form, outwards=False)
    if (lower > upper).any() or not (np.isfinite(x).all() and np.isfinite(z).all()):
        return
    defined = with_definitions(form, x, z)
    if defined is not None:
        yield defined
    inside = np.clip(x, lower, upper)
    absorbed = absorb(form, inside, z)
    yield inside, absorbed
    straight = form.b.size == form.cones.linear
    terms = TermSizes(form, inside, absorbed)
    room = rooms(terms, inside, whole_cones=True)
    if not straight:
        lifted = on_cones(form, inside)
        if lifted is not None:
            yield lifted, absorbed
        found = sharpened(form, inside, absorbed)
        if found is not None:
            yield np.clip(found[0], lower, upper), absorb(form, *found)
    for share in SNAPS:
        yield from _snapped_candidates(terms, inside, absorbed, room, share)
    if form.is_linear:
        better = on_active_set(form, inside, absorbed, room, downhill=True)
        if better is not None:
            yield better
    if not straight:
        at, _ = snapped(terms, inside, absorbed, room, SNAPS[1])
        restored = on_rows(terms, at, room)
        if restored is not None:
            yield restored, absorbed


def _snapped_candidates(
    terms: TermSizes, inside: Array, absorbed: Array, room: Array, share: float
) -> Iterator[tuple[Array, Array]]:
    """Those with columns near a bound or zero put there."""
    form, nothing = terms.given, np.zeros(absorbed.size)
    at, quiet = snapped(terms, inside, absorbed, room, share)
    straight = form.b.size == form.cones.linear
    better = on_active_set(form, at, quiet, room) if straight else None
    if better is not None:
        yield better
    if form.P is not None and form.objective(at) == form.offset:
        restored = on_rows(terms, at, room)
        if restored is not None:  # squares of zero: what misses their rows is their value
            yield restored, absorb(form, restored, nothing)
    yield at, absorb(form, at, nothing)  # an optimum that nothing presses on
    if not straight:  # or no cone: where one leaves a single point, multipliers mean nothing
        linear = np.arange(absorbed.size) < form.cones.linear
        yield at, absorb(form, at, np.where(linear, absorbed, 0.0))
    if (at != inside).any() or (quiet != absorbed).any():
        raised = None if straight else on_cones(form, at)
        if raised is not None:
            yield raised, quiet
        yield at, quiet
        yield at, absorbed


def with_definitions(form: StandardForm, x: Array, z: Array) -> tuple[Array, Array] | None:
    """The point with columns that an equation defines as it says, and its multiplier as they need.

    None if there are none. A sum of squares is compiled to one of new columns, each alone in one
    equation and bounded by nothing. Near zero solvers leave such a pair few digits in common.
    """
    if form.P is None:
        return None
    A, (lower, upper) = by_columns(form.A), form.ranges()
    alone = np.flatnonzero((np.diff(A.indptr) == 1) & np.isinf(lower) & np.isinf(upper))
    rows, factors = A.indices[A.indptr[alone]], A.data[A.indptr[alone]]
    kept = (rows < form.cones.zero) & (factors != 0.0)
    kept[kept] = np.bincount(rows[kept], minlength=form.b.size)[rows[kept]] == 1
    columns, rows, factors = alone[kept], rows[kept], factors[kept]
    if not columns.size:
        return None
    x, z = x.copy(), z.copy()
    x[columns] = 0.0
    x[columns] = (form.b - A @ x)[rows] / factors
    z[rows] = -(form.c + form.P @ x)[columns] / factors
    return x, z


@np.errstate(over="ignore")  # what overflows is no limit, here and below
def absorb(form: StandardForm, x: Array, z: Array) -> Array:
    """The multipliers, those of rows with a single entry as the others need them to be."""
    A, cones = columns_of(form.A), form.cones
    entries = A.alone[A.rows[A.alone] < cones.linear]
    if not entries.size:
        return z
    at, columns, factors = A.rows[entries], A.places[entries], A.entries[entries]
    z = z.copy()
    z[at] = 0.0
    curve = 0.0 if form.P is None else form.P @ x
    reduced = form.c + curve + form.transpose_product(z)
    lower, upper = form.ranges()
    fixed = at < cones.zero
    first = np.unique(columns[fixed], return_index=True)[1]  # of several equations one carries all
    chosen = np.flatnonzero(fixed)[first]
    z[at[chosen]] = -reduced[columns[chosen]] / factors[chosen]
    reduced[columns[chosen]] = 0.0
    at, columns, factors = at[~fixed], columns[~fixed], factors[~fixed]
    # A row bounds its column from above (positive factor) or below; the tightest carries it all.
    for sign, bound in ((1.0, upper), (-1.0, -lower)):
        ends, needs = sign * form.b[at] / factors, -sign * reduced
        order = np.flatnonzero(np.sign(factors) == sign)
        seen: set[int] = set()
        for k in order[np.argsort(ends[order])].tolist():
            column = int(columns[k])
            if column not in seen and ends[k] < bound[column]:
                seen.add(column)
                z[at[k]] = max(needs[column], 0.0) / abs(factors[k])
    return z


@np.errstate(over="ignore")
def rooms(terms: TermSizes, x: Array, *, whole_cones: bool = False) -> Array:
    """How far each column could go in the rows that have a size; infinite where none has.

    A row has a size if its right-hand side is not zero or a column in it has a room already. With
    ``whole_cones`` all rows of a cone have the size of the largest.
    """
    form, A = terms.form, terms.A
    size, real = np.abs(x), A.sizes > 0.0
    rows, columns, entries = A.rows[real], A.places[real], A.sizes[real]
    anchored = form.b != 0.0
    stated = stated_ranges(terms.given, outwards=False)
    bounds = [np.where(np.isfinite(end), np.abs(end), 0.0) for end in stated]
    own = bounds[0] + bounds[1]
    room, heights = np.full(x.size, np.inf), terms.row_sizes(x)
    first, starts = form.cones.linear, starts_of_cones(form.cones)
    lengths = np.diff(np.append(starts, form.b.size - first))
    for _ in range(4):
        if starts.size:
            joined = np.logical_or.reduceat(anchored[first:], starts)
            anchored[first:] = joined.repeat(lengths)
            if whole_cones:
                heights[first:] = np.maximum.reduceat(heights[first:], starts).repeat(lengths)
        use = anchored[rows] & (heights[rows] > 0.0)
        room = np.full(x.size, np.inf)
        np.minimum.at(room, columns[use], heights[rows[use]] / entries[use])
        known = np.isfinite(room) | (own > 0.0)
        reach = np.maximum(np.maximum(size, own), np.where(np.isfinite(room), room, 0.0))
        heights = np.abs(form.b) + np.bincount(rows, entries * reach[columns], form.b.size)
        wider = anchored.copy()
        wider[rows[known[columns]]] = True
        if (wider == anchored).all():
            break
        anchored = wider
    return np.where(np.isfinite(room), room, np.where(own > 0.0, own, np.inf))


@np.errstate(over="ignore")
def snapped(terms: TermSizes, x: Array, z: Array, room: Array, share: float) -> tuple[Array, Array]:
    """Columns near a bound or zero put there, and multipliers that are noise made zero."""
    form = terms.form
    lower, upper = terms.lower, terms.upper
    targets = np.array([lower, upper, np.clip(0.0, lower, upper)])
    away = np.abs(targets - x)
    nearest = targets[np.argmin(away, axis=0), np.arange(x.size)]
    close = np.isfinite(nearest) & (away.min(axis=0) <= share * room)
    at = np.where(close, nearest, x)
    reach = np.maximum(np.abs(at), np.where(close & np.isfinite(room), room, 0.0))
    framed = terms.frame.enter(z)
    whole = worth(form, reach, framed) + float(np.sum(reach * terms.curvature_sizes(reach)))
    heights = terms.row_sizes(np.maximum(np.abs(x), np.where(np.isfinite(room), room, 0.0)))
    quiet = np.where(np.abs(framed) * heights <= share * whole, 0.0, framed)
    return at, terms.frame.leave(quiet)


# Linear and quadratic problems: the optimum of the active set, in twice the precision.


def on_active_set(
    form: StandardForm, x: Array, z: Array, room: Array, *, downhill: bool = False
) -> tuple[Array, Array] | None:
    """The point and multipliers that meet the conditions of their active set to the last digit.

    Some points have no such multipliers, since the objective still falls where they are: those of
    linear problems may first be moved ``downhill``, to where more rows and bounds are active.
    """
    lower, upper = stated_ranges(form, outwards=False)
    terms = TermSizes(form, x, z)
    alone = _single(form)
    z = np.where(alone, 0.0, z)
    curve = 0.0 if form.P is None else form.P @ x
    reduced = form.c + curve + form.transpose_product(z)
    pulls = np.sign(reduced) * ratio(np.abs(reduced), terms.column_sizes(x, z))
    scale = np.where(np.isfinite(room) & (room > 0.0), room, np.maximum(np.abs(x), EPS))
    low = (pulls > (x - lower) / scale) | (x <= lower)
    high = (-pulls > (upper - x) / scale) | (x >= upper)
    x = np.where(low, lower, np.where(high, upper, x))
    free = np.flatnonzero(~low & ~high)
    sizes, slack = terms.row_sizes(x), form.slack(x)
    whole = terms.measure(x, z).size
    weights = ratio(np.abs(z) * sizes, np.full(z.size, whole))
    tight = (np.arange(z.size) < form.cones.zero) | (slack < 0.0)
    tight |= weights > ratio(np.maximum(slack, 0.0), sizes)
    rows = np.flatnonzero(tight & ~alone)
    z = np.where(tight, z, 0.0)
    if free.size + rows.size > (LARGEST_DENSE if downhill else LARGEST):
        return None
    if downhill:
        x, free, rows = _downhill(terms, x, free, rows, scale, (lower, upper))
    found = _newton(form, x, z, free, rows)
    if found is None:
        return None
    x, z = found
    x = np.clip(x, lower, upper)
    z = np.where(np.abs(z) * sizes <= NOTHING * whole, 0.0, z)
    return x, absorb(form, x, np.where(np.arange(z.size) < form.cones.zero, z, np.maximum(z, 0.0)))


def _downhill(
    terms: TermSizes, x: Array, free: NDArray[np.intp], rows: NDArray[np.intp], scale: Array,
    ends: tuple[Array, Array],
) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:  # fmt: skip
    """The point where the objective falls no more, with its free columns and active rows.

    Each step follows the reduced costs that no multipliers of the active rows take away, as far as
    the next bound or row, which is active from there on.
    """
    form, A = terms.form, sp.csr_array(terms.form.A)
    idle = ~_single(form)
    for _ in range(MOST_STEPS):
        if proof_must_end():
            break
        idle[rows] = False  # a step along an active row meets it by rounding alone
        z = np.zeros(form.b.size)
        part = A[rows][:, free].toarray() * scale[free]
        z[rows] = np.linalg.lstsq(part.T, -form.c[free] * scale[free], rcond=None)[0]
        reduced = reduced_costs(form.c, form.A, z).nearest
        real = ratio(np.abs(reduced), terms.column_sizes(x, z)) > FEW_ROUNDINGS
        step = np.zeros(x.size)
        step[free] = np.where(real, -reduced * scale**2, 0.0)[free]
        if not step.any():
            break
        speed, slack = A @ step, np.maximum(form.slack(x), 0.0)
        goal = np.where(step > 0.0, ends[1], ends[0])
        meets = idle & (speed > SUM_ROUNDING * (abs(A) @ np.abs(step)))
        bounds = np.divide(goal - x, step, out=np.full(x.size, np.inf), where=step != 0.0)
        limits = np.divide(slack, speed, out=np.full(speed.size, np.inf), where=meets)
        length = np.min(np.append(bounds, limits))
        if not np.isfinite(length):
            break
        reached = bounds <= length
        x = np.where(reached, goal, x + length * step)
        free = free[~reached[free]]
        if not reached.any():
            rows = np.append(rows, np.argmin(limits))
    return x, free, rows


def _single(form: StandardForm) -> Mask:
    """Inequalities of a single entry, which are bounds."""
    A, out = columns_of(form.A), np.zeros(form.b.size, dtype=bool)
    out[A.rows[A.alone]] = True
    out[: form.cones.zero] = out[form.cones.linear :] = False
    return out


def _newton(
    form: StandardForm, x: Array, z: Array, free: NDArray[np.intp], rows: NDArray[np.intp]
) -> tuple[Array, Array] | None:
    """Solve the equations of an active set; the residuals in twice the precision."""
    A = sp.csr_array(form.A)
    part = A[rows][:, free]
    P = sp.csc_array((free.size,) * 2) if form.P is None else sp.csc_array(form.P)[free][:, free]
    system = sp.csc_array(sp.block_array([[P, part.T], [part, sp.csc_array((rows.size,) * 2)]]))
    if not system.shape[0]:
        return x, z
    scale, _ = equilibrium(system)
    regular = np.concatenate([np.full(free.size, _REGULAR), np.full(rows.size, -_REGULAR)])
    scaled = sp.diags_array(scale) @ system @ sp.diags_array(scale) + sp.diags_array(regular)
    factors = factorised(sp.csc_array(scaled))
    if factors is None:
        return None
    point, pair = Pair.of(x), Pair.of(z)
    best, least = (x, z), np.inf
    for turn in range(10):
        reduced = exact_reduced(form, point, pair)[0].nearest[free]
        left = np.append(-reduced, exact_slack(form, point).nearest[rows]) * scale
        size = float(np.max(np.abs(left)))
        if size < least:
            best, least = (point.nearest, pair.nearest), size
        elif turn > 1:  # once that may be: where the first step is a long one, its rounding is left
            break
        step = factors.solve(left) * scale
        if not np.isfinite(step).all():
            return None
        change = np.zeros(x.size)
        change[free] = step[: free.size]
        point = point.plus(change)
        change = np.zeros(z.size)
        change[rows] = step[free.size :]
        pair = pair.plus(change)
    return best


# Cones: columns that stand for the height of a curve put on it, and rows met in their own sizes.


def on_cones(form: StandardForm, x: Array) -> Array | None:
    """The point with columns that only one row of a cone holds moved onto that cone's surface."""
    A = sp.csr_array(form.A)
    A.eliminate_zeros()
    lengths = np.diff(A.indptr)
    stands = np.bincount(A.indices)
    terms = TermSizes(form, x, np.zeros(form.b.size))
    framed = sp.csr_array(terms.form.A)
    lower, upper = terms.lower, terms.upper
    moved, x = False, x.copy()
    for _ in range(4):
        for kind, rows, parameter in blocks(form.cones):
            if kind == "soc":
                moved |= _lift_pairs(terms, framed, stands, x, lower, upper)
            elif kind == "exp":
                for first in range(rows.start, rows.stop, 3):
                    moved |= _lift_exponential(form, A, lengths, first, x, lower, upper)
            elif kind == "psd":
                moved |= _lift_semidefinite(form, A, lengths, rows, parameter, x, lower, upper)
    return x if moved else None


def _put(A: Matrix, b: Array, row: int, want: float, x: Array, lower: Array, upper: Array) -> bool:
    """The only column of a row set so that its slack is ``want``."""
    column, entry = A.indices[A.indptr[row]], A.data[A.indptr[row]]
    new = (b[row] - want) / entry
    if not np.isfinite(new) or not lower[column] <= new <= upper[column] or new == x[column]:
        return False
    x[column] = new
    return True


def _slack(A: Matrix, b: Array, rows: slice, x: Array) -> Array:
    return np.asarray(b[rows] - A[rows] @ x)


def _lift_pairs(
    terms: TermSizes, A: Matrix, stands: NDArray[np.intp], x: Array, lower: Array, upper: Array
) -> bool:
    frame, b, moved = terms.frame, terms.form.b, False
    lengths = np.diff(A.indptr)
    sizes = frame.sizes[frame.sizes > 1]
    for head, mate, size in zip(frame.tops, frame.mates, sizes, strict=True):
        if size < 3:
            continue
        ends = [i for i in (head, mate) if lengths[i] == 1]
        if not ends:
            continue
        row = min(ends, key=lambda i: stands[A.indices[A.indptr[i]]])
        slack = _slack(A, b, slice(head, head + size), x)
        other = slack[(mate if row == head else head) - head]
        rest = np.delete(slack, [0, mate - head])
        if other > 0.0:
            moved |= _put(A, b, int(row), float(rest @ rest) / other, x, lower, upper)
    return moved


def _lift_exponential(
    form: StandardForm, A: Matrix, lengths: NDArray[np.intp], first: int, x: Array,
    lower: Array, upper: Array,
) -> bool:  # fmt: skip
    s = _slack(A, form.b, slice(first, first + 3), x)
    with np.errstate(all="ignore"):
        if lengths[first + 2] == 1 and s[1] > 0.0:
            want = s[1] * np.exp(s[0] / s[1])
            return _put(A, form.b, first + 2, float(want), x, lower, upper)
        if lengths[first] == 1 and s[1] > 0.0 and s[2] > 0.0:
            want = s[1] * np.log(s[2] / s[1])
            return _put(A, form.b, first, float(want), x, lower, upper)
    return False


def _lift_semidefinite(
    form: StandardForm, A: Matrix, lengths: NDArray[np.intp], rows: slice, order: int,
    x: Array, lower: Array, upper: Array,
) -> bool:  # fmt: skip
    """Diagonal entries that are a priced column alone, by their Schur complement."""
    diagonal = triangle(np.eye(order), form.cones.psd_layout) > 0.0
    moved = False
    for place, row in enumerate((np.flatnonzero(diagonal) + rows.start).tolist()):
        if lengths[row] != 1 or form.c[A.indices[A.indptr[row]]] == 0.0:
            continue
        square = matrix(_slack(A, form.b, rows, x), order, form.cones.psd_layout)
        keep = np.arange(order) != place
        try:
            solved = np.linalg.solve(square[np.ix_(keep, keep)], square[keep, place])
        except np.linalg.LinAlgError:
            continue
        want = float(square[place, keep] @ solved)
        moved |= _put(A, form.b, row, want, x, lower, upper)
    return moved


def on_rows(terms: TermSizes, x: Array, room: Array, largest: int = 1500) -> Array | None:
    """The point with its violated linear rows met, by columns that cost nothing."""
    form, count = terms.form, terms.form.cones.linear
    equal = np.arange(count) < form.cones.zero
    A = sp.csr_array(form.A)[:count]
    slack, sizes = form.slack(x)[:count], terms.row_sizes(x)[:count]
    off = np.where(equal, np.abs(slack), np.maximum(-slack, 0.0)) > 2.0 * EPS * sizes
    use = np.flatnonzero(off | equal | (slack <= 1e-9 * sizes))
    free = form.c == 0.0
    if form.P is not None:
        P = columns_of(form.P)
        free &= P.sums(P.sizes) == 0.0
    if not off.any() or use.size > largest:
        return None
    reach = np.maximum(np.abs(x), np.where(np.isfinite(room), room, 0.0))
    least = np.min(reach, where=reach > 0.0, initial=np.inf)
    reach = np.where(free, np.where(reach > 0.0, reach, least if np.isfinite(least) else 1.0), 0.0)
    for _ in range(3):
        slack = form.b[:count] - A @ x
        want = np.where(equal, slack, np.minimum(slack, 0.0))[use]
        B = A[use].toarray() * reach
        norms = np.sqrt((B**2).sum(axis=1))
        kept = norms > 0.0
        if not kept.any():
            return None
        B = B[kept] / norms[kept, None]
        step = np.linalg.lstsq(B, want[kept] / norms[kept], rcond=1e-13)[0]
        x = np.clip(x + reach * step, terms.lower, terms.upper)
    return x
