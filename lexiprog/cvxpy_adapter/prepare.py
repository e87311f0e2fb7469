"""Compile a problem for one solver, with a chain of reductions that guesses no bounds."""

from __future__ import annotations

import os
import re
import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from cvxpy.atoms.affine.affine_atom import AffAtom
from cvxpy.atoms.affine.binary_operators import MulExpression
from cvxpy.lin_ops.lin_op import CONSTANT_ID
from cvxpy.reductions.solvers.conic_solvers.clarabel_conif import CLARABEL
from cvxpy.reductions.solvers.solver_inverse_data import SolverInverseData

from lexiprog.backends.solver import Target
from lexiprog.canon.equilibration import equilibrate, fitted_units
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.cvxpy_adapter.affine import AffineMatrix, AffineVector, DenseAffine, TensorEntries
from lexiprog.cvxpy_adapter.canonicalise import AffineCanonicaliser
from lexiprog.cvxpy_adapter.numbers import Compiled, Maps, Reader
from lexiprog.errors import LexiprogError
from lexiprog.model.expressions import CVXPY_LOCK, dense
from lexiprog.typing import FreshOptions, Matrix, cached_property

if TYPE_CHECKING:
    from cvxpy.reductions.solvers.solving_chain import SolvingChain


# What a conic interface is given; for interfaces with other arrays CVXPY substitutes itself.
_ARRAYS = {s.C, s.A, s.B}


@dataclass(frozen=True)
class ParameterSubstitution:
    """Parameter values substituted into the affine maps of a compiled problem.

    CVXPY does the same each time it is asked for a problem's data, with checks and copies, in ten
    times the time.
    """

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
    def of(cls, compiled: Compiled) -> ParameterSubstitution | None:
        """The maps behind what CVXPY compiled; None if they don't make the same numbers of it."""
        data = compiled.data
        if not isinstance(data, dict) or not data.keys() >= _ARRAYS or {"F", "G"} & data.keys():
            return None
        program = data[s.PARAM_PROB]
        columns = program.x.size
        starts = dict(program.param_id_to_col)
        if starts.pop(CONSTANT_ID, None) != program.total_param_size:
            return None
        objective = TensorEntries.of(sp.csc_array(program.q), columns + 1)
        rows = TensorEntries.of(sp.csc_array(program.A), columns + 1)
        every, last = slice(0, rows.count), slice(columns, columns + 1)
        squares = None
        if program.P is not None:
            squares = TensorEntries.of(sp.csc_array(program.P), columns).matrix(
                columns, slice(0, columns)
            )
        substitution = cls(
            compiled,
            compiled.form,
            Reader.of(program.parameters, starts),
            c=objective.dense(slice(0, columns + 1), slice(0, 1)),
            A=rows.matrix(columns, every, -np.ones(rows.count)),
            b=rows.dense(last, every),
            P=squares,
            lower=None if program.lb_tensor is None else AffineVector.of(program.lb_tensor),
            upper=None if program.ub_tensor is None else AffineVector.of(program.ub_tensor),
        )
        return substitution if substitution._reproduces(compiled) else None

    def substitute(self, options: FreshOptions, seconds: float = 0.0) -> Compiled:
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
            maps=Maps(
                self.read, values, self.A, self.b, self.c, 0, self.lower, self.upper, self.P
            ),
        )  # fmt: skip

    def _units(self, form: StandardForm) -> tuple[Scaling | None, Matrix | None]:
        """The units of what never changes, if they suit the rest; and the matrix in them.

        Which they are depends on no earlier values, so that answers don't either.
        """
        if self._usual is None:
            return None, None
        units, matrix = self._usual
        fitted = fitted_units(units, form)
        return (None, None) if fitted is None else (fitted, matrix)

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

    def _reproduces(self, compiled: Compiled) -> bool:
        """Whether the maps make the very numbers that CVXPY made."""
        again = self.substitute({})
        keys = (s.C, s.B, s.LOWER_BOUNDS, s.UPPER_BOUNDS, s.A, s.P)
        return all(_same(again.data.get(key), compiled.data.get(key)) for key in keys) and bool(
            again.inverse[-1][s.OFFSET] == float(compiled.inverse[-1][s.OFFSET])
        )


def _same(ours: Matrix | None, theirs: Matrix | None) -> bool:
    """Whether two arrays, sparse or not, have the same entries."""
    if ours is None or theirs is None:
        return ours is theirs
    if not sp.issparse(ours):
        return bool(np.array_equal(ours, theirs))
    ours, theirs = sp.csc_array(ours), sp.csc_array(theirs)
    return ours.shape == theirs.shape and not (ours != theirs).nnz


# The versions of CVXPY whose internals are known here; `make nightly` tests both ends.
OLDEST, BEYOND = (1, 9, 3), (1, 10)
ANY_VERSION = "LEXIPROG_ANY_CVXPY"


class CvxpyMismatch(LexiprogError, RuntimeError):
    """CVXPY's internals are not those that this package was written for."""


def check_version(version: str) -> None:
    """Refuse a CVXPY whose internals are not known, unless the user insists."""
    installed = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if OLDEST <= installed < BEYOND or os.environ.get(ANY_VERSION):
        return
    oldest, beyond = (".".join(map(str, v)) for v in (OLDEST, BEYOND))
    raise CvxpyMismatch(
        f"CVXPY {version} is installed, but lexiprog is tested with {oldest} up to, not including, "
        f"{beyond}: install one of these, or set {ANY_VERSION}=1 to try it all the same."
    )


# As fast as any on large data, and the only one that stays fast with large parameters (1e3 x 20:
# 0.01 s, SCIPY 2.4 s). The choice is not part of CVXPY's cache key, so make one.
BACKEND = "COO"


class RelaxedClarabel(CLARABEL):  # type: ignore[misc]
    """CLARABEL's form of a problem with integers, for a search over its continuous relaxations."""

    MIP_CAPABLE = True

    def name(self) -> str:
        """Not that of CLARABEL, which CVXPY knows to take no integers."""
        return "CLARABEL_RELAXED"


def without_zeros(problem: cp.Problem) -> cp.Problem:
    """The problem without curved expressions that are multiplied by zero.

    CVXPY calls ``0 * norm(x)`` affine and still writes its cone, which linear solvers do not take.

    Examples
    --------
    >>> x = cp.Variable(2, name="x")
    >>> str(without_zeros(cp.Problem(cp.Minimize(x[0] + 0 * cp.norm(x)))).objective)
    'minimize x[0] + Sum(0.0 * Sum(x, None, False), None, False)'
    """
    if all(issubclass(atom, AffAtom) for atom in problem.atoms()):
        return problem
    objective = problem.objective.copy([_without_zeros(problem.objective.expr)])
    constraints = []
    for constraint in problem.constraints:
        parts = [_without_zeros(part) for part in constraint.args]
        same = all(part is old for part, old in zip(parts, constraint.args, strict=True))
        constraints.append(constraint if same else constraint.copy(parts))
    return cp.Problem(objective, constraints)


def _without_zeros(expression: cp.Expression) -> cp.Expression:
    """The expression itself if nothing in it is multiplied by zero."""
    if isinstance(expression, cp.multiply | MulExpression):
        for factor, other in (expression.args, expression.args[::-1]):
            # What a logarithm, say, demands of its argument stays demanded.
            if _is_zero(factor) and not _is_simple(other) and not _demands(other):
                nothing = sum(0.0 * cp.sum(variable) for variable in other.variables())
                return cp.promote(cp.sum(nothing), expression.shape)
    parts = [_without_zeros(part) for part in expression.args]
    same = all(part is old for part, old in zip(parts, expression.args, strict=True))
    return expression if same else expression.copy(parts)


def _is_zero(factor: cp.Expression) -> bool:
    return factor.is_constant() and not factor.parameters() and not np.any(dense(factor.value))


def _demands(expression: cp.Expression) -> int:
    """How many conditions an expression has beside what its variables are declared with."""

    def of_leaves(part: cp.Expression) -> int:
        return sum(map(of_leaves, part.args)) if part.args else len(part.domain)

    return sum(bool(demand.variables()) for demand in expression.domain) - of_leaves(expression)


def _is_simple(expression: cp.Expression) -> bool:
    return all(issubclass(atom, AffAtom) for atom in expression.atoms())


class Prepared:
    """A problem for one solver, with a chain of reductions that guesses no bounds.

    CVXPY keeps one compiled form a problem and drops it when the solver changes, so each of
    these has a problem of its own.
    """

    def __init__(self, problem: cp.Problem, *, gp: bool = False, dpp: bool = True) -> None:
        problem = problem if gp else without_zeros(problem)
        self._problem = cp.Problem(problem.objective, problem.constraints)
        self._gp, self._ignore_dpp = gp, not dpp
        self._chain: SolvingChain | None = None
        self._canonicaliser: AffineCanonicaliser | None = None
        self._substitution: ParameterSubstitution | None = None
        self._relaxed = RelaxedClarabel()
        self._tried = False  # whether a quicker way than CVXPY's was looked for

    def compile(self, solver: Target, options: FreshOptions) -> Compiled:
        """Numbers at the parameters' values of the moment; quick after the first time."""
        start = time.perf_counter()
        with CVXPY_LOCK:
            if solver == "CLARABEL" and self._problem.is_mixed_integer():
                solver = self._relaxed
            if not self._tried and solver == "HIGHS" and not self._gp and not self._ignore_dpp:
                problem = self._problem
                self._canonicaliser = AffineCanonicaliser.of(
                    [problem.objective], problem.constraints
                )
            if self._canonicaliser is not None:
                compiled: Compiled = self._canonicaliser.compile()[0]
            elif self._substitution is not None and self._chain is not None:
                for reduction in self._chain.reductions:
                    reduction.update_parameters(self._problem)
                compiled = self._substitution.substitute(options)
            else:
                compiled = self._by_cvxpy(solver, options)
                if not self._tried and self._is_parametric(compiled):
                    self._substitution = ParameterSubstitution.of(compiled)
                    if self._substitution is not None:  # as ever after, for the same units
                        compiled = self._substitution.substitute(options)
            self._tried = True
        return replace(compiled, seconds=time.perf_counter() - start)

    def _is_parametric(self, compiled: Compiled) -> bool:
        """Whether CVXPY itself would use the same program again, at other parameter values."""
        program = self._problem._cache.param_prog  # noqa: SLF001
        return program is not None and program is compiled.data[s.PARAM_PROB]

    def _by_cvxpy(self, solver: Target, options: FreshOptions) -> Compiled:
        with warnings.catch_warnings():
            # CVXPY's analysis multiplies infinite bounds by zeros: noise, no fault of the model.
            warnings.filterwarnings("ignore", message="invalid value encountered", module="cvxpy")
            # Its reductions do what it warns its users of.
            warnings.filterwarnings("ignore", "\\s*You didn't specify the order", FutureWarning)
            if self._chain is None:
                self._chain = self._without_guessed_bounds(solver, options)
            data, chain, inverse = self._problem.get_problem_data(
                solver, gp=self._gp, ignore_dpp=self._ignore_dpp, canon_backend=BACKEND,
                solver_opts=dict(options),
            )  # fmt: skip
        if chain is not self._chain:
            raise CvxpyMismatch(
                f"CVXPY {cp.__version__} compiled with a chain of reductions of its own in place "
                "of the one that lexiprog had prepared, so that bounds which it only guesses may "
                "cut off the optimum. Install a supported version, and please report this."
            )
        return Compiled(chain, data, inverse, 0.0)

    def _without_guessed_bounds(self, solver: Target, options: FreshOptions) -> SolvingChain:
        """Put a chain of reductions in the problem's cache that bounds no auxiliary variable.

        CVXPY 1.9.3 guesses bounds of the variables it adds for maxima, norms and the like by
        interval arithmetic in which zero times infinity may end as zero. A wrong one cuts off
        the optimum, and nothing that is computed from the compiled numbers can tell. They are
        redundant anyway.
        """
        problem = self._problem
        name = solver.upper() if isinstance(solver, str) else solver
        chain = problem._construct_chain(  # noqa: SLF001
            solver=name, gp=self._gp, ignore_dpp=self._ignore_dpp, canon_backend=BACKEND,
            solver_opts=dict(options),
        )  # fmt: skip
        if chain.solver_context is not None:
            chain.solver_context.solver_supports_bounds = False
        cache = problem._cache  # noqa: SLF001
        cache.invalidate()
        cache.key = cache.make_key(name, self._gp, self._ignore_dpp, options.get("use_quad_obj"))
        cache.solving_chain = chain
        problem._solver_cache = {}  # noqa: SLF001
        problem.solver_context = chain.solver_context
        return chain
