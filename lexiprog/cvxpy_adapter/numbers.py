"""A problem's numbers as a solver's interface gets them, and as a standard form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from cvxpy.utilities.psd_utils import TriangleKind

from lexiprog.canon.decimals import DecimalResiduals, are_written, decimal_residuals
from lexiprog.canon.equilibration import equilibrate
from lexiprog.canon.scaling import Scaling, multiplied
from lexiprog.canon.standard_form import Cones, StandardForm, TriangleLayout
from lexiprog.certify.whole_numbers import WholeNumbers
from lexiprog.cvxpy_adapter.affine import AffineMatrix, AffineVector, DenseAffine
from lexiprog.typing import Array, Matrix, Record, Value, ValuesById, cached_property

if TYPE_CHECKING:
    from cvxpy.reductions.dcp2cone.cone_matrix_stuffing import ParamConeProg
    from cvxpy.reductions.inverse_data import InverseData
    from cvxpy.reductions.solvers.solver import Solver as Interface
    from cvxpy.reductions.solvers.solver_inverse_data import SolverInverseData
    from cvxpy.reductions.solvers.solving_chain import SolvingChain


@dataclass(frozen=True)
class IndexRange:
    """The part of a vector that is an array of the user's, column by column."""

    id: int
    part: slice
    shape: tuple[int, ...]

    def of(self, vector: Value) -> Value:
        """The array."""
        return vector[self.part].reshape(self.shape, order="F")


@dataclass(frozen=True)
class IndexMap:
    """Which parts of a compiled form's vectors belong to which variables and constraints.

    Attributes
    ----------
    primal, dual : tuple of IndexRange
        Variables in a point, and constraints in the multipliers of the rows.
    sign : float
        Minus one if the form minimises what the user maximises.
    """

    primal: tuple[IndexRange, ...]
    dual: tuple[IndexRange, ...]
    sign: float

    def variables(self, x: Array) -> ValuesById:
        """The values of the user's variables, by CVXPY's ids."""
        return {part.id: part.of(x) for part in self.primal}

    def multipliers(self, z: Array) -> ValuesById:
        """The multipliers of the user's constraints, by CVXPY's ids."""
        return {part.id: part.of(z) for part in self.dual}


@dataclass(frozen=True)
class Reader:
    """Reads the parameters' values of the moment into one vector that ends with a one."""

    slots: tuple[tuple[cp.Parameter, slice], ...]
    size: int

    @classmethod
    def of(cls, parameters: Sequence[cp.Parameter], starts: Mapping[int, int]) -> Reader:
        """Of parameters whose entries begin at these positions, by CVXPY's ids."""
        slots = tuple((p, slice(starts[p.id], starts[p.id] + p.size)) for p in parameters)
        return cls(slots, sum(parameter.size for parameter in parameters))

    def __call__(self) -> Array:
        """The values, each array column by column."""
        out = np.ones(self.size + 1)
        for parameter, slot in self.slots:
            out[slot] = np.asarray(parameter.value).ravel(order="F")
        return out


@dataclass(frozen=True)
class Maps:
    """Where a linear problem's numbers come from: the parameters' values, and maps of these.

    Attributes
    ----------
    read : Reader
        Knows which of the values belong to which parameter.
    values : ndarray
        Those of the moment, with a one at the end.
    costs : DenseAffine
        Rows of objectives with their constants; this problem's is the one called ``objective``.
    """

    read: Reader
    values: Array
    A: AffineMatrix
    b: DenseAffine
    costs: DenseAffine
    objective: int
    lower: AffineVector | None = None
    upper: AffineVector | None = None
    P: AffineMatrix | None = None


@dataclass
class Compiled:
    """A problem's numbers for one solver, at the parameter values of the moment.

    Solvers get them in equilibrated units (see ``canon.equilibration``), so that their tolerances
    mean the same whatever units the user thinks in.
    """

    chain: SolvingChain
    data: Record  # empty where CVXPY's reductions were not needed
    inverse: list[InverseData]  # what each reduction needs to read its result
    seconds: float
    units: Scaling | None = None  # given where several problems must share them
    index_map: IndexMap | None = None  # known where CVXPY's reductions did nothing to the vectors
    given: StandardForm | None = None  # the form, where it is known without the data
    matrix: Matrix | None = None  # its matrix in the given units, where that is known
    maps: Maps | None = None  # from parameters to these numbers, where they are known

    @property
    def record(self) -> SolverInverseData | Record:
        """What the solver's interface needs to read its result."""
        return self.inverse[-1]

    @cached_property
    def rows(self) -> list[tuple[int, int]]:
        """The ids of the form's constraints and their sizes, in the order of its rows."""
        return [(c.id, c.size) for c in self.data[s.PARAM_PROB].constraints]

    @property
    def integer(self) -> bool:
        """Whether some column must be an integer."""
        return bool(self.data[s.PARAM_PROB].is_mixed_integer())

    @cached_property
    def form(self) -> StandardForm:
        """The problem in the user's units."""
        if self.given is not None:
            return self.given
        return standard_form(self.data, self.chain.solver, self.inverse[-1])

    @cached_property
    def written(self) -> bool:
        """Whether somebody may have written its rows and costs, with up to 16 digits."""
        form = self.form
        return are_written(form.A.data) and are_written(form.b) and are_written(form.c)

    @cached_property
    def decimals(self) -> DecimalResiduals | None:
        """What the decimals that were written differ from the scaled form's floats."""
        form, entries = self.form, decimal_residuals(self.form.A.data)
        found = DecimalResiduals.of(form, self.scaling, entries)
        sides = decimal_residuals(np.where(np.isfinite(form.b), form.b, 0.0))
        if found is None or sides is None:
            return found
        return replace(found, sides=sides * self.scaling.rows)

    @cached_property
    def scaling(self) -> Scaling:
        """The units in which it is solved and certified."""
        return equilibrate(self.form) if self.units is None else self.units

    @cached_property
    def scaled(self) -> StandardForm:
        """The problem in these units."""
        return self.scaling.of(self.form, self.matrix)

    @cached_property
    def whole_numbers(self) -> WholeNumbers:
        """What of an integer problem is made of whole numbers."""
        return WholeNumbers.of(self.form)

    def in_units(self, units: Scaling, matrix: Matrix | None = None) -> Compiled:
        """The same problem, to be solved and certified in given units; ``matrix`` is in them."""
        return type(self)(
            self.chain, self.data, self.inverse, self.seconds, units, self.index_map, self.form,
            matrix, self.maps,
        )  # fmt: skip

    def scaled_data(self) -> Record:
        """What the solver's interface is given: the same dictionary with scaled numbers."""
        scaling, data = self.scaling, self.data
        if scaling.identity:
            return data
        first = None  # rows in the first of two matrices, where an interface has two
        if "F" in data or "G" in data:
            first = 0 if data["A"] is None else data["A"].shape[0]
        costs = scaling.columns * scaling.cost
        out = dict(data)
        for key, factors in (
            ("c", costs), ("q", costs), ("b", scaling.rows[:first]), ("G", scaling.rows[first:]),
            ("h", scaling.rows[first:]), (s.LOWER_BOUNDS, 1.0 / scaling.columns),
            (s.UPPER_BOUNDS, 1.0 / scaling.columns),
        ):  # fmt: skip
            if isinstance(data.get(key), np.ndarray):
                out[key] = data[key] * factors
        for key, rows, columns in (
            ("A", scaling.rows[:first], scaling.columns),
            ("F", scaling.rows[first:], scaling.columns),
            ("G", scaling.rows[first:], scaling.columns),
            ("P", scaling.columns, costs),
        ):
            if key == "A" and first is None and self.matrix is not None:
                out[key] = self.matrix
            elif not sp.issparse(data.get(key)):
                continue
            elif key == "P" and self.given is not None and self.given.P is data[key]:
                out[key] = self.scaled.P
            else:
                out[key] = multiplied(data[key], rows, columns)
        return out


def standard_form(data: Record, solver: Interface, inverse: SolverInverseData) -> StandardForm:
    """Read the standard form out of the dictionary a CVXPY solver interface built."""
    program = data[s.PARAM_PROB]
    columns = program.x.size
    if "F" in data:  # quadratic interfaces: Ax = b, Fx <= G
        c, A, b = data["q"], _stack(data["A"], data["F"]), _join(data["b"], data["G"])
    elif "G" in data:  # split interfaces: Ax = b, h - Gx in K
        c, A, b = data["c"], _stack(data["A"], data["G"]), _join(data["b"], data["h"])
    else:
        c, A, b = data["c"], data["A"], data["b"]
    if A is None:
        A, b = sp.csc_array((0, columns)), np.zeros(0)
    cones = _cones(program, solver)
    order = list(getattr(solver, "EXP_CONE_ORDER", None) or [0, 1, 2])
    if cones.exp and order != [0, 1, 2]:
        rows = np.arange(b.size)
        first = cones.linear + sum(cones.soc) + sum(map(cones.psd_rows, cones.psd))
        triples = rows[first : first + 3 * cones.exp].reshape(-1, 3)
        rows[first : first + 3 * cones.exp] = triples[:, order].reshape(-1)
        A, b = sp.csr_array(A)[rows], b[rows]
    P = data.get("P")
    lower, upper = (_bounds(data.get(key)) for key in (s.LOWER_BOUNDS, s.UPPER_BOUNDS))
    booleans = np.array([index[0] for index in program.x.boolean_idx], dtype=np.intp)
    integers = np.array([index[0] for index in program.x.integer_idx], dtype=np.intp)
    if booleans.size:
        lower = np.full(columns, -np.inf) if lower is None else lower
        upper = np.full(columns, np.inf) if upper is None else upper
        lower[booleans] = np.maximum(lower[booleans], 0.0)
        upper[booleans] = np.minimum(upper[booleans], 1.0)
    return StandardForm(
        c=np.asarray(c, dtype=float),
        offset=float(inverse[s.OFFSET]),
        A=A,
        b=np.asarray(b, dtype=float),
        cones=cones,
        P=P if P is not None and P.nnz else None,
        lower=lower,
        upper=upper,
        integer=np.concatenate([booleans, integers]),
    )


def _cones(program: ParamConeProg, solver: Interface) -> Cones:
    dims = program.cone_dims
    layout: TriangleLayout = "full"
    if any(isinstance(constraint, cp.constraints.SvecPSD) for constraint in program.constraints):
        layout = "lower" if solver.PSD_TRIANGLE_KIND is TriangleKind.LOWER else "upper"
    return Cones(
        zero=dims.zero,
        nonneg=dims.nonneg,
        soc=tuple(dims.soc),
        psd=tuple(dims.psd),
        exp=dims.exp,
        power=tuple((float(a), 1.0 - float(a)) for a in dims.p3d)
        + tuple(tuple(map(float, powers)) for powers in dims.pnd),
        psd_layout=layout,
    )


def _stack(top: Matrix | None, bottom: Matrix | None) -> Matrix:
    parts = [part for part in (top, bottom) if part is not None]
    return sp.vstack(parts, format="csc") if parts else None


def _join(top: Array | None, bottom: Array | None) -> Array:
    return np.concatenate([np.zeros(0) if p is None else np.atleast_1d(p) for p in (top, bottom)])


def _bounds(values: Array | None) -> Array | None:
    return None if values is None else np.array(values, dtype=float)
