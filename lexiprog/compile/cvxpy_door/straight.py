"""Linear problems straight from CVXPY's linear operators, without its chain of reductions.

Where everything is affine, the reductions change nothing but the order of the rows. What is left
of compiling are the linear operators, whose tensors CVXPY's own backend builds.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
from cvxpy.reductions.matrix_stuffing import extract_lower_bounds, extract_upper_bounds
from cvxpy.reductions.solvers.conic_solvers.highs_conif import HIGHS

from lexiprog.aliases import Array, Constraint, Leaf, Objective, Record
from lexiprog.compile.cvxpy_door.affine import (
    AffineMatrix,
    DenseAffine,
    Unfolded,
)
from lexiprog.compile.cvxpy_door.numbers import Compiled, Maps
from lexiprog.compile.cvxpy_door.places import Place, Places, Reader
from lexiprog.compile.cvxpy_door.reading import Offsets, read_by_cvxpy, read_plainly
from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.forms.standard_form import Cones, StandardForm

__all__ = ["Straight"]


_ZERO = (cp.constraints.Equality, cp.constraints.Zero)
_BELOW = (cp.constraints.Inequality, cp.constraints.NonPos)
_ABOVE = (cp.constraints.NonNeg,)
# Attributes that are bounds, or promises that nobody has to keep a row for.
_HARMLESS = {"nonneg", "nonpos", "pos", "neg", "bounds"}
_SOLVER = SimpleNamespace(solver=HIGHS())
_NO_PLACES = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class Straight:
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
    places: tuple[Places, ...]
    _last: Record = field(default_factory=dict)  # values, and what they were compiled to

    @classmethod
    def of(
        cls, objectives: Sequence[Objective], constraints: Sequence[Constraint]
    ) -> Straight | None:
        """The problems' maps; None if they are not this simple."""
        parts = [*objectives, *constraints]
        variables = _each_once(leaf for part in parts for leaf in part.variables())
        parameters = _each_once(leaf for part in parts for leaf in part.parameters())
        kinds = (*_ZERO, *_BELOW, *_ABOVE)
        if not variables or not all(type(c) in kinds for c in constraints):
            return None
        if not all(_is_plain(leaf) for leaf in (*variables, *parameters)):
            return None
        rows = sorted(constraints, key=lambda c: not isinstance(c, _ZERO))  # stable
        expressions = [*(_affine_side(c) for c in rows), *(o.expr for o in objectives)]
        columns, leaves = _offsets(variables), _offsets(parameters)
        unfolded = read_plainly(expressions, columns, leaves)
        if unfolded is None:
            unfolded = read_by_cvxpy(expressions, columns, leaves)
        if unfolded is None:
            return None
        return cls._compiled(objectives, rows, expressions, variables, parameters, unfolded)

    @classmethod
    def _compiled(
        cls,
        objectives: Sequence[Objective],
        rows: list[Constraint],
        expressions: list[cp.Expression],
        variables: list[cp.Variable],
        parameters: list[cp.Parameter],
        unfolded: Unfolded,
    ) -> Straight:
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
            Place(v.id, slice(first[v.id], first[v.id] + v.size), v.shape) for v in variables
        )
        dual = tuple(
            Place(c.id, slice(end - height, end), c.shape)
            for c, end, height in zip(rows, ends, heights, strict=False)
        )
        return cls(
            Reader.of(parameters, places),
            A=unfolded.matrix(columns, slice(0, m), signs),
            b=unfolded.dense(last, slice(0, m), -signs),
            costs=unfolded.dense(slice(0, columns + 1), slice(m, every), signs),
            cones=Cones(zero=zero, nonneg=m - zero, psd_layout="full"),
            lower=extract_lower_bounds(variables, columns),
            upper=extract_upper_bounds(variables, columns),
            places=tuple(
                Places(primal, dual, -1.0 if isinstance(o, cp.Maximize) else 1.0)
                for o in objectives
            ),
        )

    def compile(self) -> list[StraightCompiled]:
        """The numbers of every objective's problem at the parameters' values of the moment."""
        start = time.perf_counter()
        with CVXPY_LOCK:
            values = self.read()
        last = self._last.get("values")
        if last is not None and np.array_equal(last, values):
            kept: list[StraightCompiled] = self._last["compiled"]
            return kept
        A, b = self.A.at(values), self.b.at(values)[:, 0]
        shared = (A, b, self.cones, None, self.lower, self.upper, _NO_PLACES)
        forms = [StandardForm(cost, offset, *shared) for cost, offset in self._costs(values)]
        seconds = (time.perf_counter() - start) / len(forms)
        compiled = [
            StraightCompiled(
                _SOLVER, {}, [], seconds, None, places, given,
                maps=Maps(self.read, values, self.A, self.b, self.costs, objective),
            )
            for objective, (given, places) in enumerate(zip(forms, self.places, strict=True))
        ]  # fmt: skip
        self._last.update(values=values, compiled=compiled)
        return compiled

    def _costs(self, values: Array) -> list[tuple[Array, float]]:
        """Each objective's coefficients and constant; the same arrays if they never change."""
        costs: list[tuple[Array, float]] | None = self._last.get("costs")
        if costs is None or not self.costs.entries.fixed:
            costs = [(row[:-1], float(row[-1])) for row in self.costs.at(values)]
            self._last["costs"] = costs
        return costs


@dataclass
class StraightCompiled(Compiled):
    """Numbers that were made without CVXPY's reductions, for HIGHS."""

    @cached_property
    def rows(self) -> list[tuple[int, int]]:
        places = () if self.places is None else self.places.dual
        return [(place.id, place.part.stop - place.part.start) for place in places]

    @property
    def integer(self) -> bool:
        return False

    @property
    def record(self) -> Record:
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
