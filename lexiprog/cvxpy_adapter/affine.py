"""The affine maps from parameters to numbers that CVXPY compiles a problem into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from cvxpy.cvxcore.python.canonInterface import reduce_problem_data_tensor
from numpy.typing import NDArray

from lexiprog.typing import Array, Matrix, cached_property

Indices = NDArray[np.intp]
Coordinates = tuple[Indices, Indices, Array]  # rows, columns and numbers
# Pieces of an array that are copied one by one rather than entry by entry.
MOST_RUNS = 32


@dataclass(frozen=True)
class AffineVector:
    """Numbers that are affine maps of parameters.

    Attributes
    ----------
    start : ndarray
        The numbers where all parameters are zero.
    moving : ndarray
        The positions of those that depend on parameters.
    maps : sparse array or None
        One row for each of these, the constant's column last.
    """

    start: Array
    moving: Indices
    maps: Matrix

    @classmethod
    def of(cls, maps: Matrix) -> AffineVector:
        """The numbers that a matrix makes of the parameters and a one."""
        maps = sp.csr_array(maps)
        moving = np.flatnonzero(np.diff(maps[:, :-1].indptr))
        return cls(maps[:, [-1]].toarray().reshape(-1), moving, maps[moving])

    def at(self, values: Array) -> Array:
        """The numbers, in an array of their own."""
        out = self.start.copy()
        if self.moving.size:
            out[self.moving] = self.maps @ values
        return out

    @property
    def fixed(self) -> bool:
        """Whether they depend on no parameter."""
        return not self.moving.size

    def part(self, kept: Indices, signs: Array | None = None) -> AffineVector:
        """Some of the numbers, in a given order, times ``signs`` or other factors."""
        start = self.start[kept] if signs is None else self.start[kept] * signs
        if self.fixed:
            return AffineVector(start, self.moving, None)
        rows = np.full(self.start.size, -1)
        rows[self.moving] = np.arange(self.moving.size)
        moving = np.flatnonzero(rows[kept] >= 0)
        if not moving.size:
            return AffineVector(start, moving, None)
        factors = np.ones(moving.size) if signs is None else signs[moving]
        return AffineVector(start, moving, _picked(self.maps, rows[kept][moving], factors))


class AffineMatrix:
    """A sparse matrix whose entries are affine maps of parameters; its pattern never changes."""

    def __init__(
        self, entries: AffineVector, rows: Indices, starts: Indices, shape: tuple[int, int]
    ) -> None:
        self.entries, self._shape = entries, shape
        self._rows, self._starts = rows.astype(np.int32), starts.astype(np.int32)

    @property
    def fixed(self) -> bool:
        """Whether it depends on no parameter."""
        return self.entries.fixed

    @property
    def places(self) -> tuple[Indices, Indices]:
        """The row and the column of every entry."""
        columns = np.repeat(np.arange(self._shape[1]), np.diff(self._starts))
        return self._rows.astype(np.intp), columns

    def at(self, values: Array) -> sp.csc_array:
        """The matrix; the same object each time if it depends on no parameter."""
        return self._same if self.fixed else self._with(self.entries.at(values))

    @cached_property
    def _same(self) -> sp.csc_array:
        return self._with(self.entries.start)

    def _with(self, data: Array) -> sp.csc_array:
        return sp.csc_array((data, self._rows, self._starts), shape=self._shape)


@dataclass(frozen=True)
class DenseAffine:
    """A full array whose entries are affine maps of parameters."""

    entries: AffineVector
    places: tuple[Indices, Indices]
    shape: tuple[int, int]

    @cached_property
    def _start(self) -> Array:
        """The array without what parameters add."""
        out = np.zeros(self.shape)
        out[self.places] = self.entries.start
        return out

    def at(self, values: Array) -> Array:
        """The array; the same one each time if it depends on no parameter."""
        if self.entries.fixed:
            return self._start
        out = self._start.copy()
        flat, (which, factors) = out.reshape(-1), self._single
        if which is None:
            flat[self._moving] = self.entries.maps @ values
        elif self._runs is not None:
            for places, part in self._runs:
                flat[places] = values[part]
        else:
            found = values.take(which)
            flat[self._moving] = found if factors is None else found * factors
        return out

    def part(
        self, kept: Indices, places: tuple[Indices, Indices], shape: tuple[int, int], factors: Array
    ) -> DenseAffine:
        """Some of the entries times factors, at places of their own."""
        return DenseAffine(self.entries.part(kept, factors), places, shape)

    @cached_property
    def _moving(self) -> Indices:
        """Where entries stand that depend on parameters, row by row."""
        moving = self.entries.moving
        return np.asarray(self.places[0][moving] * self.shape[1] + self.places[1][moving])

    @cached_property
    def _single(self) -> tuple[Indices | None, Array | None]:
        """The values that entries are, and their factors, if each is but one value."""
        maps = sp.csr_array(self.entries.maps)
        maps.eliminate_zeros()
        if np.any(np.diff(maps.indptr) != 1):
            return None, None
        return maps.indices, None if np.all(maps.data == 1.0) else maps.data

    @cached_property
    def _runs(self) -> list[tuple[slice, slice]] | None:
        """Runs of entries that are runs of values; None if they are many, or have factors."""
        which, factors = self._single
        if which is None or factors is not None:
            return None
        order = np.argsort(self._moving)
        places, parts = self._moving[order], which[order]
        breaks = np.flatnonzero((np.diff(places) != 1) | (np.diff(parts) != 1)) + 1
        if breaks.size >= MOST_RUNS:
            return None
        starts, lengths = np.append(0, breaks), np.diff([0, *breaks, places.size])
        return [
            (slice(place, place + length), slice(part, part + length))
            for place, part, length in zip(
                places[starts].tolist(), parts[starts].tolist(), lengths.tolist(), strict=True
            )
        ]


@dataclass(frozen=True)
class TensorEntries:
    """The entries of a tensor that CVXPY compiled for a matrix, column by column.

    Attributes
    ----------
    entries : AffineVector
        Those that are not always zero.
    rows, columns : ndarray
        Where they stand in the matrix.
    count : int
        How many rows the matrix has.
    """

    entries: AffineVector
    rows: Indices
    columns: Indices
    count: int

    @classmethod
    def of(cls, tensor: Matrix, columns: int) -> TensorEntries:
        """Of a tensor for a matrix with so many columns, those of constants included."""
        count = tensor.shape[0] // columns
        nothing = np.zeros(0, dtype=np.intp)
        if not tensor.nnz:
            return cls(AffineVector(np.zeros(0), nothing, None), nothing, nothing, count)
        if tensor.shape[1] == 1:  # no parameters
            tensor = sp.csc_array(tensor)
            tensor.sum_duplicates()
            kept = np.flatnonzero(tensor.data)
            places = tensor.indices[kept].astype(np.int64)
            entries = AffineVector(tensor.data[kept], nothing, None)
            return cls(entries, places % count, places // count, count)
        maps, rows, starts, _ = reduce_problem_data_tensor(tensor, columns, quad_form=True)
        return cls(
            AffineVector.of(maps), rows, np.repeat(np.arange(columns), np.diff(starts)), count
        )

    @classmethod
    def stacked(
        cls,
        fixed: Sequence[Coordinates],
        moving: Sequence[Coordinates],
        constant: Array,
        columns: int,
        size: int,
    ) -> TensorEntries:
        """Of rows of numbers, their constants, and what ``size`` values add to these."""
        count, nothing = constant.size, np.zeros(0, dtype=np.intp)
        rows, places, values = _summed(fixed, count)
        maps, depends = None, np.zeros(count, dtype=bool)
        if moving:
            which, where, factors = (np.concatenate(part) for part in zip(*moving, strict=True))
            depends[which] = True
            dependent = np.flatnonzero(depends)
            which, where = (
                np.append(which, dependent),
                np.append(where, np.full(dependent.size, size)),
            )
            order = np.argsort(which * (size + 1) + where, kind="stable")
            ends = np.cumsum(np.bincount(which, minlength=count)[dependent])
            numbers = np.append(factors, constant[dependent])[order]
            shape = (dependent.size, size + 1)
            maps = sp.csr_array((numbers, where[order], np.append(0, ends)), shape=shape)
        kept = np.flatnonzero((constant != 0.0) | depends)
        changing = nothing if maps is None else values.size + np.flatnonzero(depends[kept])
        return cls(
            AffineVector(np.concatenate([values, constant[kept]]), changing, maps),
            np.concatenate([rows, kept]),
            np.concatenate([places, np.full(kept.size, columns)]),
            count,
        )  # fmt: skip

    def matrix(self, columns: int, rows: slice, signs: Array | None = None) -> AffineMatrix:
        """The first columns of some rows, whose signs may be turned."""
        kept = self._within(rows, slice(0, columns))
        entries = self.entries.part(kept, None if signs is None else signs[self.rows[kept]])
        starts = np.searchsorted(self.columns[kept], np.arange(columns + 1))
        shape = (rows.stop - rows.start, columns)
        return AffineMatrix(entries, self.rows[kept] - rows.start, starts, shape)

    def dense(self, columns: slice, rows: slice, signs: Array | None = None) -> DenseAffine:
        """Some rows of some columns as a full array."""
        kept = self._within(rows, columns)
        entries = self.entries.part(kept, None if signs is None else signs[self.rows[kept]])
        places = (self.rows[kept] - rows.start, self.columns[kept] - columns.start)
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        return DenseAffine(entries, places, shape)

    def _within(self, rows: slice, columns: slice) -> Indices:
        inside = (self.columns >= columns.start) & (self.columns < columns.stop)
        return np.flatnonzero(inside & (self.rows >= rows.start) & (self.rows < rows.stop))


def _picked(maps: sp.csr_array, rows: Indices, factors: Array) -> sp.csr_array:
    """Some rows of a matrix, each times a factor; SciPy takes ten times as long for a few."""
    starts, counts = maps.indptr[rows], maps.indptr[rows + 1] - maps.indptr[rows]
    ends = np.cumsum(counts)
    places = np.arange(ends[-1]) + (starts - ends + counts).repeat(counts)
    numbers = maps.data[places] * factors.repeat(counts)
    parts = (numbers, maps.indices[places], np.append(0, ends))
    return sp.csr_array(parts, shape=(rows.size, maps.shape[1]))


def _summed(entries: Sequence[Coordinates], count: int) -> Coordinates:
    """Coordinates of ``count`` rows by columns, those of one place added up, without zeros."""
    if not entries:
        nothing = np.zeros(0, dtype=np.intp)
        return nothing, nothing, np.zeros(0)
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    keys = columns * count + rows
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    heads = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    if heads.size < keys.size:
        keys, values = keys[heads], np.add.reduceat(values, heads)
    kept = values != 0.0
    keys, values = keys[kept], values[kept]
    return keys % count, keys // count, values
