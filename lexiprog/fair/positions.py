"""The integer program that raises the value at one position of the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Highs, Mask, Options
from lexiprog.fair.failures import NoFairShare
from lexiprog.fair.utilities import Utilities
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds
from lexiprog.solvers.highs_mip import pass_whole
from lexiprog.status import Status

__all__ = ["Positions", "Steps"]

# Levels from the lowest up: (value, how many positions are before it).
Steps = Sequence[tuple[float, int]]

OPTIONS = {
    "mip_feasibility_tolerance": 1e-9,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 0.0,
    "output_flag": False,
}
# A bound may be that much of a grid's step too low.
ROUNDING = 1e-6


@dataclass(frozen=True)
class _Program:
    """Maximise ``cost @ columns`` within bounds."""

    cost: Array
    matrix: sp.csc_array
    bounds: Bounds
    integer: Mask


class Positions:
    """Programs over one feasible set and one set of utilities.

    The columns are x, the level t, then a block of binaries for each level but the first: 1 lets a
    utility be below. The last block is for t itself.
    """

    def __init__(self, form: StandardForm, utilities: Utilities, options: Options) -> None:
        self._A, self._bounds = sp.csr_array(form.A), Bounds.of(form)
        self._integer = np.zeros(form.c.size, dtype=bool)
        if form.integer is not None:
            self._integer[form.integer] = True
        self._utilities = utilities
        self._options = OPTIONS | dict(options)
        # If all values are multiples of a number, the level is a whole multiple too, which brings
        # the bound down to the next one.
        self._grid = utilities.grid(self._integer)
        self._ceilings: Array | None = None
        self.solves = self.nodes = 0

    def first(self) -> tuple[Array, float]:
        """A point whose smallest utility is largest, and a bound that no point exceeds."""
        return self._solved(self._program(0, (), np.zeros(0), np.inf), None)

    def raised(self, position: int, ladder: Steps, known: Array) -> tuple[Array, float]:
        """A point with the highest value at ``position``, and a bound that no point exceeds.

        Parameters
        ----------
        position : int
            From zero for the smallest.
        ladder : sequence of (value, positions before it)
            What the order must keep.
        known : ndarray
            A point that keeps it, to start from.
        """
        if self._ceilings is None:
            self._ceilings = np.sort(self._highest(ladder[0][0]))
        ceiling = self._down(self._ceilings[position])
        values = np.array([value for value, _ in ladder])
        if ceiling <= values[-1]:
            return known, float(values[-1])
        steps = np.append(np.diff(values), ceiling - values[-1])
        program = self._program(position, ladder, steps, ceiling)
        gets = self._utilities.at(known)
        level = float(np.sort(gets)[position])
        below = [gets < value for value in (*values[1:], level)]
        return self._solved(program, np.concatenate([known, [level / (self._grid or 1.0)], *below]))

    def _program(self, position: int, ladder: Steps, steps: Array, ceiling: float) -> _Program:
        """Let b_1 <= b_2 <= ... say who may be below the second level, the third, ..., and t.

        Nobody is then lower than t, less the steps between levels that his binaries let him miss;
        nor than the last level, less those steps but the last.
        """
        count, blocks, unit = len(self._utilities), steps.size, self._grid or 1.0
        rows, offsets, one = self._utilities.rows, self._utilities.offsets, sp.identity(count)
        nobody = sp.csr_array((count, 1))
        parts = [
            [
                self._A,
                sp.csr_array((self._A.shape[0], 1)),
                sp.csr_array((self._A.shape[0], count * blocks)),
            ],
            [rows, sp.csr_array(np.full((count, 1), -unit)), sp.kron(steps[None, :], one)],
        ]
        lower, upper = [self._bounds.row_lower, -offsets], [self._bounds.row_upper]
        upper.append(np.full(count, np.inf))
        if blocks:
            kept = np.append(steps[:-1], 0.0)
            chain = sp.eye_array(blocks - 1, blocks) - sp.eye_array(blocks - 1, blocks, k=1)
            size = (blocks - 1) * count
            parts += [
                [rows, nobody, sp.kron(kept[None, :], one)],
                [None, None, sp.kron(chain, one)],
                [None, None, sp.kron(sp.identity(blocks), np.ones((1, count)))],
            ]
            lower += [ladder[-1][0] - offsets, np.full(size, -np.inf), np.full(blocks, -np.inf)]
            most = [before for _, before in ladder[1:]] + [position]
            upper += [np.full(count, np.inf), np.zeros(size), np.array(most, dtype=float)]
        size = count * blocks
        columns = self._A.shape[1]
        cost = np.zeros(columns + 1 + size)
        cost[columns] = unit
        floor = ladder[-1][0] if ladder else -np.inf
        bounds = Bounds(
            np.concatenate([self._bounds.lower, [floor / unit], np.zeros(size)]),
            np.concatenate([self._bounds.upper, [ceiling / unit], np.ones(size)]),
            np.concatenate(lower),
            np.concatenate(upper),
        )
        integer = np.concatenate([self._integer, [self._grid > 0], np.ones(size, dtype=bool)])
        return _Program(cost, sp.block_array(parts, format="csc"), bounds, integer)

    def _highest(self, least: float) -> Array:
        """The most each utility can be, integers left aside, while nobody is below ``least``."""
        matrix = sp.vstack([self._A, self._utilities.rows], format="csc")
        bounds = Bounds(
            self._bounds.lower,
            self._bounds.upper,
            np.concatenate([self._bounds.row_lower, least - self._utilities.offsets]),
            np.append(self._bounds.row_upper, np.full(len(self._utilities), np.inf)),
        )
        columns = matrix.shape[1]
        highs = self._loaded(_Program(np.zeros(columns), matrix, bounds, np.zeros(columns, bool)))
        every, out, endless = np.arange(columns, dtype=np.int32), [], []
        for i in range(len(self._utilities)):
            row = self._utilities.rows[[i]].toarray()[0]
            highs.changeColsCost(columns, every, row)
            highs.run()
            said = highs.getModelStatus().name
            if said in ("kUnbounded", "kUnboundedOrInfeasible"):
                endless.append(i)
            elif said != "kOptimal":
                raise self._failure(said)
            out.append(highs.getInfo().objective_function_value + self._utilities.offsets[i])
        if endless:
            raise NoFairShare.unlimited(endless)
        return np.array(out)

    def _solved(self, program: _Program, start: Array | None) -> tuple[Array, float]:
        highs = self._loaded(program)
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = start
            highs.setSolution(solution)
        highs.run()
        self.solves += 1
        said = highs.getModelStatus().name
        if said in ("kUnbounded", "kUnboundedOrInfeasible"):
            highs.changeColsCost(
                program.cost.size, np.arange(program.cost.size, dtype=np.int32), 0.0 * program.cost
            )
            highs.run()
            if highs.getModelStatus().name == "kOptimal":
                raise NoFairShare.unlimited(range(len(self._utilities)))
            said = highs.getModelStatus().name
        if said != "kOptimal":
            raise self._failure(said)
        info = highs.getInfo()
        self.nodes += max(int(info.mip_node_count), 0)
        bound = info.mip_dual_bound if program.integer.any() else info.objective_function_value
        return np.array(highs.getSolution().col_value)[: self._A.shape[1]], self._down(bound)

    def _down(self, bound: float) -> float:
        """The highest value that utilities can have up to a bound."""
        if not self._grid:
            return float(bound)
        return float(np.floor(bound / self._grid + ROUNDING) * self._grid)

    def _failure(self, said: str) -> NoFairShare:
        if said == "kInfeasible":
            return NoFairShare("no point satisfies the constraints.", Status.INFEASIBLE)
        limit = said in ("kTimeLimit", "kIterationLimit", "kSolutionLimit", "kInterrupt")
        return NoFairShare(
            f"HiGHS says {said} at integer program {self.solves}.",
            Status.NO_POINT if limit else Status.FAILED,
        )

    def _loaded(self, program: _Program) -> Highs:
        highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in self._options.items():
            if highs.setOptionValue(name, value) == highspy.HighsStatus.kError:
                raise ValueError(f"HiGHS refuses option {name} = {value!r}.")
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = program.matrix.shape
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_ = program.cost
        model.col_lower_, model.col_upper_ = program.bounds.lower, program.bounds.upper
        model.row_lower_, model.row_upper_ = program.bounds.row_lower, program.bounds.row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = program.matrix.indptr
        model.a_matrix_.index_ = program.matrix.indices
        model.a_matrix_.value_ = program.matrix.data
        pass_whole(highs, model, program.integer)
        return highs
