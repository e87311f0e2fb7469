"""An affine canonicaliser: linear problems without CVXPY's chain of reductions.

Where everything is affine, the reductions change nothing but the order of the rows. What is left
of compiling are the linear operators, whose tensors CVXPY's own backend builds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
from cvxpy.atoms.affine.add_expr import AddExpression
from cvxpy.atoms.affine.binary_operators import DivExpression, MulExpression, multiply
from cvxpy.atoms.affine.index import index
from cvxpy.atoms.affine.promote import Promote
from cvxpy.atoms.affine.sum import Sum
from cvxpy.atoms.affine.unary_operators import NegExpression
from cvxpy.cvxcore.python.canonInterface import get_problem_matrix
from cvxpy.lin_ops.lin_op import CONSTANT_ID
from cvxpy.reductions.matrix_stuffing import extract_lower_bounds, extract_upper_bounds
from cvxpy.reductions.solvers.conic_solvers.highs_conif import HIGHS
from cvxpy.utilities import scopes

from lexiprog.canon.equilibration import equilibrate, fitted_units
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Cones, StandardForm, by_columns
from lexiprog.cvxpy_adapter.affine import AffineMatrix, Coordinates, DenseAffine, TensorEntries
from lexiprog.cvxpy_adapter.numbers import Compiled, IndexMap, IndexRange, Maps, Reader
from lexiprog.model.expressions import CVXPY_LOCK, dense
from lexiprog.typing import (
    Array,
    Constraint,
    Leaf,
    Matrix,
    Objective,
    Record,
    cached_property,
)

# Most linear programs are written with constants times variables, sums, entries, and parameters on
# the right. Their matrices are the constants themselves, and are read here; CVXPY reads the rest.

# How many entries all have together, and where each one's begin, by CVXPY's ids.
Offsets = tuple[int, Mapping[int, int]]
# Small problems are compiled fastest in C++, which is slow on parameters and on large data.
_SMALL, _FEW = 5_000, 20


class _NotAffine(Exception):
    """An expression that is left to CVXPY."""


@dataclass(frozen=True)
class _Affine:
    """An expression's entries, one below the other: a constant, and parts that leaves add to it."""

    constant: Array | float
    parts: tuple[tuple[Leaf, Coordinates], ...] = ()

    def times(self, factors: Array | float, how: np.ufunc = np.multiply) -> _Affine:
        """Each entry times a number, or over it."""

        def scaled(entries: Coordinates) -> Coordinates:
            rows, columns, values = entries
            by_row = factors[rows] if isinstance(factors, np.ndarray) else factors
            return rows, columns, how(values, by_row)

        return self.moved(how(self.constant, factors), scaled)

    def moved(self, constant: Array | float, move: Callable[[Coordinates], Coordinates]) -> _Affine:
        """Another constant, and the entries of each leaf at other places."""
        return _Affine(constant, tuple((leaf, move(entries)) for leaf, entries in self.parts))


def read_affine(
    expressions: Sequence[cp.Expression], columns: Offsets, parameters: Offsets
) -> TensorEntries | None:
    """The entries of expressions, one below the other; None if one of them is left to CVXPY.

    ``columns`` are those of the variables, ``parameters`` the positions of their values.
    """
    try:
        read = [_read(expression) for expression in expressions]
    except _NotAffine:
        return None
    starts = np.cumsum([0, *(expression.size for expression in expressions)]).tolist()
    constant = np.zeros(starts[-1])
    fixed: list[Coordinates] = []
    moving: list[Coordinates] = []
    for affine, start, end in zip(read, starts, starts[1:], strict=False):
        constant[start:end] = affine.constant
        for leaf, (rows, inner, values) in affine.parts:
            target, first = (fixed, columns) if leaf.id in columns[1] else (moving, parameters)
            target.append((rows + start, inner + first[1][leaf.id], values))
    return TensorEntries.stacked(fixed, moving, constant, columns[0], parameters[0])


def read_by_cvxpy(
    expressions: Sequence[cp.Expression], columns: Offsets, parameters: Offsets
) -> TensorEntries | None:
    """The same of all affine expressions, by CVXPY's own backend."""
    with scopes.dpp_scope():  # a product of parameters is no affine map
        if not all(e.is_affine() for e in expressions):
            return None
    (width, first), (sizes, places) = columns, parameters
    every = sum(e.size for e in expressions)
    small = sizes <= _FEW and every + width <= _SMALL and _in_cpp(expressions)
    starts = {**places, CONSTANT_ID: sizes}
    ends = [*list(starts.values())[1:], sizes + 1]  # one parameter after the other
    try:
        forms = [e.canonical_form[0] for e in expressions]
    except NotImplementedError:  # nothing times a curve is affine, but no map CVXPY could read
        return None
    lengths = {key: end - starts[key] for key, end in zip(starts, ends, strict=True)}
    backend = "CPP" if small else "COO"
    tensor = get_problem_matrix(forms, width, dict(first), lengths, starts, every, backend)
    return TensorEntries.of(tensor, width + 1)


def _in_cpp(expressions: Sequence[cp.Expression]) -> bool:
    return all(e._all_support_cpp() and e._max_ndim() <= 2 for e in expressions)  # noqa: SLF001


def _read(expression: cp.Expression) -> _Affine:
    reader = _READERS.get(type(expression))
    if reader is None or expression.ndim > 2:
        raise _NotAffine
    return reader(expression)


def _leaf(leaf: Leaf) -> _Affine:
    each = np.arange(leaf.size)
    return _Affine(0.0, ((leaf, (each, each, np.ones(leaf.size))),))


def _constant(constant: cp.Constant) -> _Affine:
    value = np.asarray(dense(constant.value))
    if value.dtype.kind not in "fiub":
        raise _NotAffine
    return _Affine(value.astype(float).ravel(order="F"))


def _sum_of(expression: AddExpression) -> _Affine:
    parts = [_read(part) for part in expression.args]
    if any(part.size != expression.size for part in expression.args):
        raise _NotAffine
    return _Affine(
        sum((part.constant for part in parts), 0.0),
        tuple(entry for part in parts for entry in part.parts),
    )


def _number(expression: cp.Expression) -> Array | float:
    """A constant that is written in an expression, as one entry after the other."""
    affine = _read(expression)
    if affine.parts:
        raise _NotAffine
    return affine.constant


def _times(expression: multiply) -> _Affine:
    left, right = expression.args
    if not left.size == right.size == expression.size:
        raise _NotAffine
    if left.is_constant():
        return _read(right).times(_number(left))
    return _read(left).times(_number(right))


def _over(expression: DivExpression) -> _Affine:
    left, right = expression.args
    factors = _number(right)
    if not left.size == right.size == expression.size or not np.all(factors):
        raise _NotAffine
    return _read(left).times(factors, np.divide)


def _product(expression: MulExpression) -> _Affine:
    """A constant matrix times a vector, or the inner product of two."""
    left, right = expression.args
    if left.ndim == right.ndim == 1 and type(right) is cp.Constant:
        left, right = right, left
    if type(left) is not cp.Constant or right.ndim != 1:
        raise _NotAffine
    value, inner = left.value, _read(right)
    if np.any(inner.constant):
        raise _NotAffine
    if hasattr(value, "tocsc"):
        matrix = by_columns(value)
        rows, values = matrix.indices.astype(np.intp), matrix.data
        columns = np.arange(matrix.shape[1]).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    else:
        rows, columns = np.nonzero(full := np.atleast_2d(np.asarray(value)))
        values = full[rows, columns]
    if values.dtype.kind not in "fiub":
        raise _NotAffine

    def multiplied(entries: Coordinates) -> Coordinates:
        # Each entry of the vector must be one entry of the leaf, lest there be sums to take.
        of, at, factors = entries
        place = np.full(right.size, -1)
        place[of] = np.arange(of.size)
        if not np.array_equal(place[of], np.arange(of.size)):
            raise _NotAffine
        entry = place[columns]
        there = entry >= 0
        which = entry[there]
        return rows[there], at[which], values[there] * factors[which]

    return inner.moved(0.0, multiplied)


def _total(expression: Sum) -> _Affine:
    if expression.axis is not None:
        raise _NotAffine
    inner = _read(expression.args[0])
    every = np.broadcast_to(inner.constant, (expression.args[0].size,))
    return inner.moved(float(every.sum()), lambda e: (np.zeros_like(e[0]), e[1], e[2]))


def _chosen(expression: index) -> _Affine:
    whole = expression.args[0]
    inner, size = _read(whole), whole.size
    every = np.arange(size).reshape(whole.shape, order="F")
    kept = every[expression.key].ravel(order="F")
    if kept.size != expression.size:
        raise _NotAffine
    place = np.full(size, -1)
    place[kept] = np.arange(kept.size)

    def picked(entries: Coordinates) -> Coordinates:
        rows = place[entries[0]]
        there = rows >= 0
        return rows[there], entries[1][there], entries[2][there]

    return inner.moved(np.broadcast_to(inner.constant, (size,))[kept], picked)


def _spread(expression: Promote) -> _Affine:
    inner, size = _read(expression.args[0]), expression.size

    def repeated(entries: Coordinates) -> Coordinates:
        rows, columns, values = entries
        return np.arange(size).repeat(rows.size), np.tile(columns, size), np.tile(values, size)

    return inner.moved(float(np.sum(inner.constant)), repeated)


_READERS: dict[type, Callable[[cp.Expression], _Affine]] = {
    cp.Variable: _leaf,
    cp.Parameter: _leaf,
    cp.Constant: _constant,
    AddExpression: _sum_of,
    NegExpression: lambda expression: _read(expression.args[0]).times(-1.0),
    multiply: _times,
    DivExpression: _over,
    MulExpression: _product,
    Sum: _total,
    index: _chosen,
    Promote: _spread,
}


_ZERO = (cp.constraints.Equality, cp.constraints.Zero)
_BELOW = (cp.constraints.Inequality, cp.constraints.NonPos)
_ABOVE = (cp.constraints.NonNeg,)
# Attributes that are bounds, or promises that nobody has to keep a row for.
_HARMLESS = {"nonneg", "nonpos", "pos", "neg", "bounds"}
_SOLVER = SimpleNamespace(solver=HIGHS())
_NO_INTEGERS = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class AffineCanonicaliser:
    """Linear objectives over the same affine constraints, as affine maps from parameters.

    Attributes
    ----------
    read : callable
        Reads the parameters' values of the moment.
    costs : DenseAffine
        A row for each objective, to be minimised, with its constant last.
    """

    read: Reader
    A: AffineMatrix
    b: DenseAffine
    costs: DenseAffine
    cones: Cones
    lower: Array | None
    upper: Array | None
    index_maps: tuple[IndexMap, ...]
    _last: Record = field(default_factory=dict)  # values, and what they were compiled to

    @classmethod
    def of(
        cls, objectives: Sequence[Objective], constraints: Sequence[Constraint]
    ) -> AffineCanonicaliser | None:
        """The problems' maps; None if they are not this simple."""
        parts = [*objectives, *constraints]
        variables = _each_once(leaf for part in parts for leaf in part.variables())
        parameters = _each_once(leaf for part in parts for leaf in part.parameters())
        if not _are_plain(variables, parameters, constraints):
            return None
        rows = sorted(constraints, key=lambda c: not isinstance(c, _ZERO))  # stable
        expressions = [*(_affine_side(c) for c in rows), *(o.expr for o in objectives)]
        columns, leaves = _offsets(variables), _offsets(parameters)
        entries = read_affine(expressions, columns, leaves)
        if entries is None:
            entries = read_by_cvxpy(expressions, columns, leaves)
        if entries is None:
            return None
        return cls._compiled(objectives, rows, expressions, variables, parameters, entries)

    @classmethod
    def _compiled(
        cls,
        objectives: Sequence[Objective],
        rows: list[Constraint],
        expressions: list[cp.Expression],
        variables: list[cp.Variable],
        parameters: list[cp.Parameter],
        entries: TensorEntries,
    ) -> AffineCanonicaliser:
        (columns, first), (_, places) = _offsets(variables), _offsets(parameters)
        heights = [e.size for e in expressions]
        m, every = sum(heights[: len(rows)]), sum(heights)
        # Rows are b - Ax: minus what stands on the lesser side, its constants on the other.
        signs = np.ones(every)
        ends = np.cumsum(heights)
        turned = [isinstance(c, _ABOVE) for c in rows] + [
            isinstance(o, cp.Maximize) for o in objectives
        ]
        for end, height, turn in zip(ends, heights, turned, strict=True):
            if turn:
                signs[end - height : end] = -1.0
        last = slice(columns, columns + 1)
        zero = sum(h for h, c in zip(heights, rows, strict=False) if isinstance(c, _ZERO))
        primal = tuple(
            IndexRange(v.id, slice(first[v.id], first[v.id] + v.size), v.shape) for v in variables
        )
        dual = tuple(
            IndexRange(c.id, slice(end - height, end), c.shape)
            for c, end, height in zip(rows, ends, heights, strict=False)
        )
        return cls(
            Reader.of(parameters, places),
            A=entries.matrix(columns, slice(0, m), signs),
            b=entries.dense(last, slice(0, m), -signs),
            costs=entries.dense(slice(0, columns + 1), slice(m, every), signs),
            cones=Cones(zero=zero, nonneg=m - zero, psd_layout="full"),
            lower=extract_lower_bounds(variables, columns),
            upper=extract_upper_bounds(variables, columns),
            index_maps=tuple(
                IndexMap(primal, dual, -1.0 if isinstance(o, cp.Maximize) else 1.0)
                for o in objectives
            ),
        )

    def compile(self) -> list[AffineCompiled]:
        """The numbers of every objective's problem at the parameters' values of the moment."""
        start = time.perf_counter()
        with CVXPY_LOCK:
            values = self.read()
        last = self._last.get("values")
        if last is not None and np.array_equal(last, values):
            kept: list[AffineCompiled] = self._last["compiled"]
            return kept
        A, b = self.A.at(values), self.b.at(values)[:, 0]
        shared = (A, b, self.cones, None, self.lower, self.upper, _NO_INTEGERS)
        forms = [StandardForm(cost, offset, *shared) for cost, offset in self._costs(values)]
        seconds = (time.perf_counter() - start) / len(forms)
        compiled = [
            AffineCompiled(
                _SOLVER, {}, [], seconds, units, index_map, given, matrix,
                maps=Maps(self.read, values, self.A, self.b, self.costs, objective),
            )
            for objective, (given, index_map) in enumerate(zip(forms, self.index_maps, strict=True))
            for units, matrix in [self._units(given)]
        ]  # fmt: skip
        self._last.update(values=values, compiled=compiled)
        return compiled

    def _units(self, form: StandardForm) -> tuple[Scaling | None, Matrix | None]:
        """Units of what never changes, if they suit the rest, and the matrix in them.

        Which they are depends on no earlier values. Several objectives get common units later.
        """
        if len(self.index_maps) > 1 or not self.A.fixed or not self.costs.entries.fixed:
            return None, None
        usual = self._last.get("usual")
        if usual is None:
            b = self.b.at(np.zeros(self.read.size + 1))[:, 0].copy()
            b[self.b.places[0][self.b.entries.moving]] = 0.0
            units = equilibrate(replace(form, b=b))
            usual = self._last["usual"] = (units, units.of_matrix(form.A))
        fitted = fitted_units(usual[0], form)
        return (None, None) if fitted is None else (fitted, usual[1])

    def _costs(self, values: Array) -> list[tuple[Array, float]]:
        """Each objective's coefficients and constant; the same arrays if they never change."""
        costs: list[tuple[Array, float]] | None = self._last.get("costs")
        if costs is None or not self.costs.entries.fixed:
            costs = [(row[:-1], float(row[-1])) for row in self.costs.at(values)]
            self._last["costs"] = costs
        return costs


@dataclass
class AffineCompiled(Compiled):
    """Numbers that were made without CVXPY's reductions, for HIGHS."""

    @cached_property
    def rows(self) -> list[tuple[int, int]]:
        """Constraints' ids and how many rows each has."""
        ranges = () if self.index_map is None else self.index_map.dual
        return [(part.id, part.part.stop - part.part.start) for part in ranges]

    @property
    def integer(self) -> bool:
        """Whether there are integers: the affine canonicaliser reads none."""
        return False

    @property
    def record(self) -> Record:
        """What CVXPY's own interface would hand on beside the numbers."""
        rows = [SimpleNamespace(id=key, size=size) for key, size in self.rows]
        return {
            s.OFFSET: self.form.offset,
            "is_mip": False,
            HIGHS.EQ_CONSTR: rows,
            HIGHS.NEQ_CONSTR: [],
        }

    def scaled_data(self) -> Record:
        """What CVXPY's interface of HIGHS would be given."""
        form = self.scaled
        dims = SimpleNamespace(
            zero=form.cones.zero, nonneg=form.cones.nonneg, soc=[], exp=0, psd=[], p3d=[], pnd=[]
        )
        return {
            s.C: form.c,
            s.A: form.A,
            s.B: form.b,
            "dims": dims,
            s.LOWER_BOUNDS: form.lower,
            s.UPPER_BOUNDS: form.upper,
            s.BOOL_IDX: [],
            s.INT_IDX: [],
        }


def _are_plain(
    variables: Sequence[Leaf], parameters: Sequence[Leaf], constraints: Sequence[Constraint]
) -> bool:
    """Whether there are variables, and all is equations, inequalities and plain leaves."""
    kinds = (*_ZERO, *_BELOW, *_ABOVE)
    if not variables or not all(type(constraint) in kinds for constraint in constraints):
        return False
    return all(_is_plain(leaf) for leaf in (*variables, *parameters))


def _is_plain(leaf: Leaf) -> bool:
    """Whether a variable or parameter says nothing about itself but signs and fixed bounds."""
    if leaf.ndim > 2:
        return False
    said = {
        name for name, value in leaf.attributes.items() if value is not None and value is not False
    }
    if not said <= _HARMLESS:
        return False
    bounds = leaf.attributes["bounds"] or ()
    return all(isinstance(end, np.ndarray | float | int) for end in bounds)


def _affine_side(constraint: Constraint) -> cp.Expression:
    """What a constraint bounds by zero."""
    return constraint.expr if hasattr(constraint, "expr") else constraint.args[0]


def _each_once(leaves: Iterable[Leaf]) -> list[Leaf]:
    return list({leaf.id: leaf for leaf in leaves}.values())


def _offsets(leaves: Sequence[Leaf]) -> Offsets:
    """How many entries all have together, and where each one's begin, by CVXPY's ids."""
    first, size = {}, 0
    for leaf in leaves:
        first[leaf.id] = size
        size += leaf.size
    return size, first


@dataclass(frozen=True)
class AffineRows:
    """Affine constraints and expressions, one below the other, as affine maps from parameters.

    Attributes
    ----------
    read : Reader
        Reads the parameters' values of the moment.
    maps : DenseAffine
        Coefficients, and the constants in the last column: constraints as what is to be zero, then
        as what is to be at most zero, then the expressions.
    columns, zero, nonneg : int
        How many variables there are, and rows of constraints of either kind.
    bounds : tuple of ndarray
        What the variables' attributes say, infinite where they say nothing.
    primal, dual : tuple of IndexRange
        Variables in a point, and constraints among the rows.
    """

    read: Reader
    maps: DenseAffine
    columns: int
    zero: int
    nonneg: int
    bounds: tuple[Array, Array]
    primal: tuple[IndexRange, ...]
    dual: tuple[IndexRange, ...]

    @classmethod
    def of(
        cls,
        constraints: Sequence[Constraint],
        expressions: Sequence[cp.Expression],
        constants: Sequence[cp.Expression] = (),
    ) -> AffineRows | None:
        """The maps; None if something is not affine, or a variable is more than a number."""
        parts = [*constraints, *expressions]
        variables = _each_once(leaf for part in parts for leaf in part.variables())
        parameters = _each_once(leaf for part in (*parts, *constants) for leaf in part.parameters())
        if not _are_plain(variables, parameters, constraints):
            return None
        rows = sorted(constraints, key=lambda c: not isinstance(c, _ZERO))  # stable
        every = [*(_affine_side(c) for c in rows), *expressions, *constants]
        columns, leaves = _offsets(variables), _offsets(parameters)
        with CVXPY_LOCK:
            entries = read_affine(every, columns, leaves)
            if entries is None:
                entries = read_by_cvxpy(every, columns, leaves)
        if entries is None:
            return None
        signs = np.ones(entries.count)
        dual, end = [], 0
        for constraint in rows:
            part = slice(end, end := end + constraint.size)
            dual.append(IndexRange(constraint.id, part, constraint.shape))
            signs[part] = -1.0 if isinstance(constraint, _ABOVE) else 1.0
        zero = sum(c.size for c in rows if isinstance(c, _ZERO))
        maps = entries.dense(slice(0, columns[0] + 1), slice(0, entries.count), signs)
        return cls(
            Reader.of(parameters, leaves[1]), maps, columns[0], zero, end - zero,
            _bounds_of(variables, columns[0]),
            tuple(
                IndexRange(v.id, slice(columns[1][v.id], columns[1][v.id] + v.size), v.shape)
                for v in variables
            ),
            tuple(dual),
        )  # fmt: skip

    def row_by_row(self) -> AffineRows:
        """The same for values of parameters that come row by row, as arrays lie in memory.

        It reads no parameters itself.
        """
        order = np.arange(self.read.size + 1)
        for parameter, part in self.read.slots:
            order[part] = order[part].reshape(parameter.shape, order="F").ravel()
        entries = self.maps.entries
        maps = entries.maps if entries.fixed else entries.maps[:, order]
        moved = replace(self.maps, entries=replace(entries, maps=maps))
        return replace(self, read=Reader((), 0), maps=moved)

    def at(self, values: Array) -> Array:
        """Coefficients and constants at these values of the parameters, which end with a one."""
        return self.maps.at(values)


def _bounds_of(variables: list[cp.Variable], columns: int) -> tuple[Array, Array]:
    """What the variables' attributes say of their columns; infinite where they say nothing."""
    lower, upper = (
        extract_lower_bounds(variables, columns),
        extract_upper_bounds(variables, columns),
    )
    return (
        np.full(columns, -np.inf) if lower is None else np.asarray(lower, dtype=float),
        np.full(columns, np.inf) if upper is None else np.asarray(upper, dtype=float),
    )
