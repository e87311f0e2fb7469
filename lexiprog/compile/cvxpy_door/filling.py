"""Fill a compiled problem's affine maps with the parameters' values, without checks and copies.

CVXPY does the same each time it is asked for a problem's data, in ten times the time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from cvxpy.lin_ops.lin_op import CONSTANT_ID
from cvxpy.reductions.solvers.solver_inverse_data import SolverInverseData

from lexiprog.aliases import FreshOptions, Matrix
from lexiprog.compile.cvxpy_door.affine import (
    AffineMatrix,
    AffineVector,
    DenseAffine,
    Unfolded,
)
from lexiprog.compile.cvxpy_door.numbers import Compiled, Maps
from lexiprog.compile.cvxpy_door.places import Reader
from lexiprog.forms.equilibrium import equilibrate, is_mild, left_alone
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm

__all__ = ["Filling"]


# What a conic interface is given; interfaces with other arrays are filled by CVXPY itself.
_ARRAYS = {s.C, s.A, s.B}


@dataclass(frozen=True)
class Filling:
    """The affine maps of one compiled problem, and what else its data consists of."""

    first: Compiled
    form: StandardForm
    read: Reader
    c: DenseAffine
    A: AffineMatrix
    b: DenseAffine
    P: AffineMatrix | None
    lower: AffineVector | None
    upper: AffineVector | None

    @classmethod
    def of(cls, compiled: Compiled) -> Filling | None:
        """The maps behind what CVXPY compiled; None if they don't make the same numbers of it."""
        data = compiled.data
        if not isinstance(data, dict) or not data.keys() >= _ARRAYS or {"F", "G"} & data.keys():
            return None
        program = data[s.PARAM_PROB]
        columns = program.x.size
        own = dict(program.param_id_to_col)
        if own.pop(CONSTANT_ID, None) != program.total_param_size:
            return None
        objective = Unfolded.of(sp.csc_array(program.q), columns + 1)
        rows = Unfolded.of(sp.csc_array(program.A), columns + 1)
        every, last = slice(0, rows.count), slice(columns, columns + 1)
        squares = None
        if program.P is not None:
            squares = Unfolded.of(sp.csc_array(program.P), columns).matrix(
                columns, slice(0, columns)
            )
        filling = cls(
            compiled,
            compiled.form,
            Reader.of(program.parameters, own),
            c=objective.dense(slice(0, columns + 1), slice(0, 1)),
            A=rows.matrix(columns, every, -np.ones(rows.count)),
            b=rows.dense(last, every),
            P=squares,
            lower=None if program.lb_tensor is None else AffineVector.of(program.lb_tensor),
            upper=None if program.ub_tensor is None else AffineVector.of(program.ub_tensor),
        )
        return filling if filling._makes(compiled) else None

    def fill(self, options: FreshOptions, seconds: float = 0.0) -> Compiled:
        """The problem's numbers at the parameters' values of the moment."""
        values = self.read()
        cost = self.c.at(values)[0]
        data, form = dict(self.first.data), self.form
        # Interfaces may write into what they are given.
        data[s.C], data[s.B] = cost[:-1].copy(), self.b.at(values)[:, 0].copy()
        data[s.A] = self.A.at(values)
        if self.P is not None:
            data[s.P] = self.P.at(values)
        if self.lower is not None:
            data[s.LOWER_BOUNDS] = self.lower.at(values)
        if self.upper is not None:
            data[s.UPPER_BOUNDS] = self.upper.at(values)
        last = self.first.inverse[-1]
        record = dict(last.inverse_data) | {s.OFFSET: float(cost[-1])}
        inverse = [
            *self.first.inverse[:-1],
            SolverInverseData(record, last.solver_instance, dict(options)),
        ]
        given = None
        if self._keeps_form:
            squares = data.get(s.P)
            given = replace(
                form, c=data[s.C], offset=float(cost[-1]), A=data[s.A], b=data[s.B],
                P=squares if squares is not None and squares.nnz else None,
            )  # fmt: skip
        units, matrix = (None, None) if given is None else self._units(given)
        return replace(
            self.first, data=data, inverse=inverse, seconds=seconds, given=given, units=units,
            matrix=matrix,
            maps=Maps(self.read, values, self.A, self.b, self.c, 0, self.lower, self.upper),
        )  # fmt: skip

    def _units(self, form: StandardForm) -> tuple[Scaling | None, Matrix | None]:
        """The units of what never changes, if they suit the rest; and the matrix in them.

        Which they are depends on no earlier values, so that answers don't either.
        """
        if self._usual is None:
            return None, None
        units, matrix = self._usual
        rest, mild = (form.b * units.rows, form.c * (units.columns * units.cost)), left_alone(form)
        suits = all(
            is_mild(numbers) and is_mild(np.abs(numbers).max(initial=0.0, keepdims=True), mild)
            for numbers in rest
        )
        return (units, matrix) if suits else (None, None)

    @cached_property
    def _usual(self) -> tuple[Scaling, Matrix] | None:
        if not self.A.fixed or (self.P is not None and not self.P.fixed):
            return None
        c, b = self.form.c.copy(), self.form.b.copy()
        for vector, maps, axis in ((c, self.c, 1), (b, self.b, 0)):
            moving = maps.places[axis][maps.entries.moving]
            vector[moving[moving < vector.size]] = 0.0
        units = equilibrate(replace(self.form, c=c, b=b))
        return units, units.of_matrix(self.form.A)

    @property
    def _keeps_form(self) -> bool:
        """Whether the rows of the form are those of the data, and its bounds never change."""
        bounds = self.lower is None and self.upper is None
        return bounds and not self.form.cones.exp

    def _makes(self, compiled: Compiled) -> bool:
        """Whether the maps make the very numbers that CVXPY made."""
        made, data = self.fill({}).data, compiled.data
        for key in (s.C, s.B, s.LOWER_BOUNDS, s.UPPER_BOUNDS):
            one, other = made.get(key), data.get(key)
            if one is None or other is None:
                if one is not other:
                    return False
            elif not np.array_equal(one, other):
                return False
        return all(_same(made.get(key), data.get(key)) for key in (s.A, s.P)) and self.fill(
            {}
        ).inverse[-1][s.OFFSET] == float(compiled.inverse[-1][s.OFFSET])


def _same(one: Matrix | None, other: Matrix | None) -> bool:
    """Whether two sparse matrices have the same entries."""
    if one is None or other is None:
        return one is other
    one, other = sp.csc_array(one), sp.csc_array(other)
    return one.shape == other.shape and not (one != other).nnz
