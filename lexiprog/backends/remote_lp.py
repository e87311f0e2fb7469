"""Linear programs that are solved wherever an executor runs them: numbers go, numbers come back."""

from __future__ import annotations

import time
from dataclasses import fields

import highspy

from lexiprog.backends.highs import HighsModel, Vertex
from lexiprog.backends.warm_basis import Statuses, basis_of, statuses_of
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline
from lexiprog.typing import Array, FreshOptions, Matrix, Options, Record


def vertex_of(
    A: Matrix,
    options: FreshOptions,
    cost: Array,
    limits: tuple[Array, Array, Array, Array],
    statuses: Statuses | None,
    refine: bool,  # noqa: FBT001 - executors hand arguments on by position
    primal: bool,  # noqa: FBT001
) -> tuple[Record, Statuses]:
    """Solve one linear program; arguments and answer are arrays and plain values.

    What is found are the fields of a Vertex by name, and its basis as numbers.

    Parameters
    ----------
    A, cost, limits
        The program: limits of the columns, then of the rows.
    options : dict
        HiGHS options.
    statuses : pair of ndarray, optional
        The basis to start from, columns and rows.
    refine, primal : bool
        As for :meth:`HighsModel.run`.
    """
    basis = None if statuses is None else basis_of(*statuses)
    vertex = HighsModel(A, options).run(cost, Bounds(*limits), basis, refine=refine, primal=primal)
    found = {field.name: getattr(vertex, field.name) for field in fields(vertex)}
    return found, statuses_of(found.pop("basis"))  # which cannot travel itself


class RemoteHighs(HighsModel):
    """A model whose runs are sent away if the deadline says so, each with all of its numbers."""

    def __init__(self, A: Matrix, options: Options) -> None:
        super().__init__(A, options)
        self._options = dict(options)
        # A basis from there, as it came.
        self._last: tuple[highspy.HighsBasis, Statuses] | None = None

    def run(
        self,
        cost: Array,
        bounds: Bounds,
        basis: highspy.HighsBasis | None = None,
        *,
        refine: bool = False,
        primal: bool = False,
        deadline: Deadline | None = None,
    ) -> Vertex:
        """Minimise ``cost`` within ``bounds``, from ``basis`` if one is given.

        Elsewhere nobody hears of Ctrl-C; the time limit goes along.
        """
        if deadline is None or deadline.executor is None:
            return super().run(cost, bounds, basis, refine=refine, primal=primal, deadline=deadline)
        start = time.perf_counter()
        limits = (bounds.lower, bounds.upper, bounds.row_lower, bounds.row_upper)
        statuses = self._last[1] if self._last is not None and basis is self._last[0] else None
        if statuses is None and basis is not None:
            statuses = statuses_of(basis)
        options = deadline.limiting(self._options)
        vertex, statuses = deadline.executor.call(
            vertex_of, self._A, options, cost, limits, statuses, refine, primal, deadline=deadline
        )
        found = basis_of(*statuses)
        self._last = (found, statuses)
        return Vertex(**vertex | {"basis": found, "seconds": time.perf_counter() - start})
