"""Numbers of linear problems as fractions, also those that come from earlier exact optima.

A reference to an optimum of 1/3 is bound as a float. Read back, it would be another number than
the optimum, beyond which there may be no point at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.cvxpy_adapter import AffineCanonicaliser, Compiled, Maps
from lexiprog.cvxpy_adapter.affine import AffineVector
from lexiprog.model.expressions import CVXPY_LOCK, dense
from lexiprog.model.lock import Slack
from lexiprog.model.references import Reference, ReferenceKind
from lexiprog.model.subproblem import Subproblem
from lexiprog.rational.numbers import DEFAULT, ReadAs, read_floats
from lexiprog.rational.program import ExactLP, SparseRow
from lexiprog.tolerances import FRACTION_AND_FLOAT
from lexiprog.typing import Value

if TYPE_CHECKING:
    from lexiprog.results.solution import Solution


# Fractions of parameters by CVXPY's ids, column by column.
Fractions: TypeAlias = Mapping[int, NDArray[np.object_]]


def exact_references(
    subproblem: Subproblem,
    solutions: Mapping[str, Solution],
    slack: Slack,
    read_as: ReadAs = DEFAULT,
) -> dict[int, NDArray[np.object_]]:
    """What its placeholders stand for, as fractions, as far as these are known.

    The placeholders have their float values already.
    """
    found: dict[int, NDArray[np.object_]] = {}
    for parameter, reference in subproblem.references:
        solution = solutions[reference.owner_name]
        value = None
        if solution.exact is not None:
            value = _value(reference, solution, slack, found, read_as)
        if value is None:
            continue
        value = np.asarray(value, dtype=object).ravel(order="F")
        floats = np.asarray(dense(parameter.value), dtype=float).ravel(order="F")
        near = FRACTION_AND_FLOAT
        if value.size == floats.size and np.allclose(value.astype(float), floats, near, near):
            found[parameter.id] = value
    return found


def exact_program(compiled: Compiled, known: Fractions, read_as: ReadAs = DEFAULT) -> ExactLP:
    """A linear problem in fractions; ``known`` are parameters that are more than their floats."""
    lp, maps = ExactLP.from_form(compiled.form, read_as), compiled.maps
    if maps is None or not known:
        return lp
    b, rows = list(lp.b), list(lp.rows)
    numbers = _Numbers(maps, known, read_as)
    for k, value in numbers.of(maps.b.entries):
        b[maps.b.places[0][k]] = value
    height, width = maps.A.places
    for k, value in numbers.of(maps.A.entries):
        rows[height[k]] = _with(rows[height[k]], int(width[k]), value)
    limits = []
    for given, moved in ((list(lp.lower), maps.lower), (list(lp.upper), maps.upper)):
        for k, value in () if moved is None else numbers.of(moved):
            given[k] = value
        limits.append(tuple(given))
    lp = replace(lp, b=tuple(b), rows=tuple(rows), lower=limits[0], upper=limits[1])
    return lp.with_cost(*exact_costs(compiled, known, read_as))


def exact_costs(
    compiled: Compiled, known: Fractions, read_as: ReadAs = DEFAULT
) -> tuple[list[Fraction], Fraction]:
    """The objective of a linear problem in fractions: its coefficients and its constant."""
    form, maps = compiled.form, compiled.maps
    costs = read_floats(np.append(form.c, form.offset), read_as)
    if maps is not None and known:
        row, column = maps.costs.places
        for k, value in _Numbers(maps, known, read_as).of(maps.costs.entries):
            if row[k] == maps.objective:
                costs[column[k]] = value
    return costs[:-1], costs[-1]


class _Numbers:
    """Affine maps of parameters in fractions."""

    def __init__(self, maps: Maps, known: Fractions, read_as: ReadAs) -> None:
        self._read_as = read_as
        self._values = read_floats(maps.values, read_as)
        self._better = np.zeros(maps.values.size, dtype=bool)
        for parameter, slot in maps.read.slots:
            if parameter.id in known:
                self._values[slot] = known[parameter.id].tolist()
                self._better[slot] = True

    def of(self, vector: AffineVector) -> Iterator[tuple[int, Fraction]]:
        """Place and value of the entries that depend on a parameter known as fractions."""
        if vector.fixed:
            return
        maps = sp.csr_array(vector.maps)
        for k, place in enumerate(vector.moving.tolist()):
            part = slice(maps.indptr[k], maps.indptr[k + 1])
            which = maps.indices[part]
            if self._better[which].any():
                factors = read_floats(maps.data[part], self._read_as)
                terms = zip(factors, which.tolist(), strict=True)
                yield place, sum((f * self._values[j] for f, j in terms), Fraction(0))


def _with(row: SparseRow, column: int, value: Fraction) -> SparseRow:
    """A row with another number at one place."""
    entries = dict(zip(*row, strict=True)) | {column: value}
    kept = {place: entries[place] for place in sorted(entries) if entries[place]}
    return tuple(kept), tuple(kept.values())


def _value(
    reference: Reference, solution: Solution, slack: Slack, known: Fractions, read_as: ReadAs
) -> Fraction | Value | None:
    """What a reference stands for; None if no fractions are known."""
    optimum = solution.exact
    if optimum is None or (reference.lock is not None and reference.lock.fair):
        return None
    if reference.lock is not None:
        return _limit(reference, optimum, slack, solution.unit, read_as)
    if reference.kind is ReferenceKind.OPTIMUM:
        return optimum
    if reference.expression is not None:
        return _at(reference, solution, known, read_as)
    place = reference.position
    if place is None or place >= len(solution.exact_duals):
        return None
    return solution.exact_duals[place]


def _limit(
    reference: Reference, optimum: Fraction, slack: Slack, unit: float, read_as: ReadAs
) -> Fraction | None:
    """The bound of a held optimum."""
    lock = reference.lock
    if lock is None:
        return None
    if lock.owner_name in slack.tolerances:
        (room,) = read_floats([slack.tolerances[lock.owner_name]], read_as)
    else:
        atol, rtol = read_floats(lock.tolerances, read_as)
        room = max(atol, rtol * abs(optimum))
    room += read_floats([slack.guard_for(float(optimum), unit)], read_as)[0]
    return optimum - room if lock.maximise else optimum + room


def _at(
    reference: Reference, solution: Solution, known: Fractions, read_as: ReadAs
) -> NDArray[np.object_] | None:
    """An affine expression at an exact point."""
    owner, expression = reference.owner(), reference.expression
    if owner is None or expression is None or not expression.is_affine():
        return None
    keys = {v.id: key for v, key in zip(owner.variables, owner.keys, strict=True)}
    if any(keys.get(v.id) not in solution.exact_variables for v in expression.variables()):
        return None
    with CVXPY_LOCK:
        canonicaliser = AffineCanonicaliser.of([cp.Minimize(0)], [expression == 0])
        if canonicaliser is None:
            return None
        compiled = canonicaliser.compile()[0]
    lp = exact_program(compiled, known, read_as)
    x: list[Fraction] = [Fraction(0)] * len(lp.c)
    for place in canonicaliser.index_maps[0].primal:
        values = np.asarray(solution.exact_variables[keys[place.id]], dtype=object)
        x[place.part] = [Fraction(value) for value in values.ravel(order="F")]
    rows = zip(lp.rows, lp.b, strict=True)
    return np.array(
        [sum((f * x[j] for j, f in zip(*row, strict=True)), -right) for row, right in rows],
        dtype=object,
    )
