"""A program as a function of arrays: what does not depend on its parameters is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, get_args

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from lexiprog.backends.solver import Solver
from lexiprog.certify.certificate import Certificate
from lexiprog.compile.binding import Given
from lexiprog.compile.task import compile_for
from lexiprog.cvxpy_adapter import AffineCanonicaliser, IndexRange, Maps, Reader, columns_of
from lexiprog.errors import DeclarationError, StageError, there_are, visible
from lexiprog.least_squares.chain import LeastSquaresChain, holds_exactly
from lexiprog.least_squares.repeated import RepeatedLeastSquares, StepAnswer
from lexiprog.model.expressions import CVXPY_LOCK, dense, holding, undisturbed
from lexiprog.solve.driver import execute
from lexiprog.solve.lp_chain import is_linear, own_constraints, without_faces
from lexiprog.solve.repeated import LinearMaps, RepeatedLinear, RepeatedQuadratic, dense_curvature
from lexiprog.status import Status
from lexiprog.typing import Array, Value

if TYPE_CHECKING:
    from lexiprog.program import Program

# Variables up to which a quadratic program is solved on full matrices.
LARGEST_CURVED = 400
Verify: TypeAlias = Literal["always", "sampled", "never"]
# Of calls that are checked now and then, one in so many is.
SAMPLED = 16


class RepeatedSolve(Protocol):
    """Who solves a program again and again; it can be pickled and is safe in threads.

    Attributes
    ----------
    order : {"C", "F"}
        Whether values of a parameter come row by row or column by column.
    """

    order: Literal["C", "F"]

    def __call__(self, values: Array, *, verify: bool) -> StepAnswer:
        """Solve at these values of all parameters, which end with a one."""


@dataclass(frozen=True, slots=True)
class CompiledResult:
    """The optima of one call of a compiled program.

    Use ``values``, ``variables`` and ``status`` in a loop, and ``certificate`` when in doubt.

    Attributes
    ----------
    status : Status
        "optimal" if all are; without a point there are no numbers in ``values`` and ``variables``.
    values : mapping
        Subproblem to its optimum.
    variables : mapping
        Name to value, of the variables of the last stage or of those that were asked for.
    verified : bool
        Whether the optima of this call were checked before it returned.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, goal = cp.Variable(2, name="x"), cp.Parameter(name="goal")
    >>> program = lx.hierarchical_least_squares({"sum": cp.sum(x) - goal, "rest": x})
    >>> found = program.compile([goal])(4.0)
    >>> found.status == "optimal", found.verified, round(found.values["rest"], 6)
    (True, True, 8.0)
    """

    status: Status
    values: Mapping[str, float]
    variables: Mapping[str, Value]
    verified: bool
    _certificates: Callable[[], Mapping[str, Certificate]] = field(repr=False, compare=False)

    @property
    def certificate(self) -> Mapping[str, Certificate]:
        """Subproblem to its certificate, which is made now if this call was not checked."""
        return self._certificates()


class _Slot(NamedTuple):
    """Where the values of a parameter go, and their sign if it has one."""

    name: str
    part: slice
    shape: tuple[int, ...]
    sign: float


class _Output(NamedTuple):
    name: str
    columns: NDArray[np.intp]  # in the shape of the variable


class CompiledProgram:
    """A program as a function of its parameters' values.

    Use :meth:`Program.compile` to make one. It can be pickled, and several threads may call it at
    the same time.

    Attributes
    ----------
    parameters : tuple of str
        Their names, in the order in which values are given.
    method : str
        How the program is solved.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, goal = cp.Variable(2, name="x"), cp.Parameter(2, name="goal")
    >>> program = lx.hierarchical_least_squares({"reach": x - goal}, [x <= 1])
    >>> step = program.compile([goal])
    >>> step([0.5, 3.0]).variables["x"].tolist()
    [0.5, 1.0]
    """

    def __init__(
        self,
        method: RepeatedSolve,
        template: Array,
        slots: Sequence[_Slot],
        names: Sequence[str],
        outputs: Sequence[_Output],
        verify: Verify,
    ) -> None:
        self.parameters = tuple(slot.name for slot in slots)
        self.verify = verify
        self._method, self._template, self._slots = method, template, tuple(slots)
        self._names, self._outputs = tuple(names), tuple(outputs)
        self._calls = 0

    @property
    def method(self) -> str:
        """How the program is solved."""
        return str(self._method)

    def __call__(self, *values: ArrayLike) -> CompiledResult:
        """Solve at these values, one for each parameter."""
        if len(values) != len(self._slots):
            raise TypeError(
                f"{len(self._slots)} values are wanted, for {', '.join(map(repr, self.parameters))}"
                f", not {len(values)}."
            )
        full = self._template.copy()
        for given, (name, part, shape, sign) in zip(values, self._slots, strict=True):
            try:
                array = np.asarray(given, dtype=float)
            except (TypeError, ValueError, OverflowError) as error:
                raise ValueError(
                    f"parameter {name!r} takes an array of numbers: {error}."
                ) from None
            if array.shape != shape:
                raise ValueError(
                    f"parameter {name!r} has shape {shape}, but the value has {array.shape}."
                )
            if sign and (sign * array < 0.0).any():
                raise ValueError(f"parameter {name!r} is declared to have no value of this sign.")
            full[part] = array if len(shape) < 2 else array.ravel(self._method.order)
        if np.isnan(full).any():
            raise ValueError("a value is not a number.")
        verify = self.verify == "always" or (self.verify == "sampled" and not self._calls % SAMPLED)
        self._calls += 1  # a count that threads share need not be exact
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
            status, optima, x, certificates = self._method(full, verify=verify)
        if status.has_point and not (np.isfinite(optima).all() and np.isfinite(x).all()):
            # Infinite values where finite ones belong, or squares beyond the largest number.
            status, certificates = Status.FAILED, list
            optima, x = np.full_like(optima, np.nan), np.full_like(x, np.nan)
        return CompiledResult(
            status,
            dict(zip(self._names, optima.tolist(), strict=True)),
            {name: x[columns] for name, columns in self._outputs},
            verify,
            partial(_named, self._names, certificates),
        )

    def __repr__(self) -> str:
        return visible(f"CompiledProgram({', '.join(self.parameters)}: {self.method})", lines=False)


def _named(
    names: Sequence[str], certificates: Callable[[], Sequence[Certificate]]
) -> dict[str, Certificate]:
    """Certificates by subproblem; none without a point."""
    return dict(zip(names, certificates(), strict=False))


def compile_program(
    program: Program,
    parameters: Sequence[cp.Parameter] | cp.Parameter,
    outputs: Iterable[cp.Variable | str] | None,
    verify: Verify,
) -> CompiledProgram:
    """See :meth:`Program.compile`."""
    wanted = [parameters] if isinstance(parameters, cp.Parameter) else list(parameters)
    _check(program, wanted, verify)
    squares = _least_squares(program)
    chosen = squares or _linear(program) or _quadratic(program) or _by_solving(program)
    method, read, columns = chosen
    values, slots = _template(read, wanted, "F" if squares is None else "C")
    return CompiledProgram(
        method(values), values, slots, list(program.subproblems),
        [_Output(name, columns[v.id]) for name, v in _outputs(program, outputs)], verify,
    )  # fmt: skip


# What makes a method of the values of all parameters, who reads these, and where each variable
# stands in a point, by CVXPY's ids.
Chosen: TypeAlias = tuple[Callable[[Array], RepeatedSolve], Reader, Mapping[int, NDArray[np.intp]]]


def _least_squares(program: Program) -> Chosen | None:
    """All stages as levels of one hierarchy of least squares, if they are that."""
    chain = LeastSquaresChain.of(program.stages, least=1)
    if chain is None or len(chain.names) < len(program.subproblems):
        return None
    maps, primal = chain.maps, chain.maps.rows.primal
    offsets = np.array(chain.offsets)
    return partial(RepeatedLeastSquares, maps, offsets), maps.rows.read, _places(primal)


def _linear(program: Program) -> Chosen | None:
    """Linear objectives in order over the same constraints, if that is all there is."""
    members = [stage.subproblems[0] for stage in program.stages]
    if len(members) < len(program.subproblems) or not all(map(is_linear, members)):
        return None
    names = [member.name for member in members]
    for place, member in enumerate(members):
        same = own_constraints(member) == own_constraints(members[0])
        if not same or not holds_exactly(member, names[:place]):
            return None
    with CVXPY_LOCK:
        canonical = AffineCanonicaliser.of(
            [member.objective for member in members], without_faces(members[0])
        )
    if canonical is None:
        return None
    n = canonical.costs.shape[1] - 1
    maps = LinearMaps(
        canonical.A, canonical.b, canonical.costs, canonical.cones.zero,
        np.full(n, -np.inf) if canonical.lower is None else canonical.lower,
        np.full(n, np.inf) if canonical.upper is None else canonical.upper,
        np.array([-1.0 if member.maximise else 1.0 for member in members]),
    )  # fmt: skip
    return lambda _: RepeatedLinear(maps), canonical.read, _places(canonical.index_maps[0].primal)


def _quadratic(program: Program) -> Chosen | None:
    """One quadratic objective whose curvature and rows no parameter moves."""
    members = list(program.subproblems.values())
    if len(members) != 1 or members[0].kind != "QP" or members[0].references:
        return None
    # The maps from parameters are wanted, not the numbers at these values.
    some = [(p, np.ones(p.shape)) for p in members[0].parameters if p.value is None]
    with holding(some):
        compiled = compile_for(members[0], Solver("CLARABEL"), {})
    maps, form, places = compiled.maps, compiled.form, columns_of(compiled)
    if maps is None or form.P is None or not _is_fixed(maps) or form.c.size > LARGEST_CURVED:
        return None
    linear = form.cones.linear == form.b.size
    if not linear or not all(variable.id in places for variable in members[0].variables):
        return None
    signs = np.array([-1.0 if members[0].maximise else 1.0])
    numbers = LinearMaps(maps.A, maps.b, maps.costs, form.cones.zero, *form.ranges(), signs)
    method = RepeatedQuadratic(numbers, dense_curvature(sp.csc_array(form.P)))
    return (lambda _: method, maps.read, places) if method.in_range else None


def _is_fixed(maps: Maps) -> bool:
    """Whether parameters move costs and right-hand sides alone."""
    curved = maps.P is None or maps.P.fixed
    return curved and maps.A.fixed and maps.lower is None and maps.upper is None


class RepeatedProgram:
    """Any other program: solved as ever, with these values in place of its parameters'."""

    order: Literal["C", "F"] = "F"

    def __init__(self, program: Program, read: Reader) -> None:
        self._program, self._slots = program, read.slots

    def __call__(self, values: Array, *, verify: bool) -> StepAnswer:  # noqa: ARG002 - it always is
        """Solve, and put the variables of the last stage one after the other."""
        pairs = [(p, values[part].reshape(p.shape, order="F")) for p, part in self._slots]
        subproblems = self._program.subproblems
        given = undisturbed(pairs, lambda: Given.to(subproblems.values()))
        try:
            result = execute(
                self._program.stages, self._program.ladders(), workers=None,
                tick=lambda _: None, solved={}, given=given,
            )  # fmt: skip
        except StageError as error:
            size = sum(v.size for v in _last_variables(self._program).values())
            return error.status, np.full(len(subproblems), np.nan), np.full(size, np.nan), list
        arrays = {key: value for s in result.values() for key, value in s.variables.items()}
        wanted = _last_variables(self._program)
        x = np.concatenate([np.ravel(arrays[name], order="F") for name in wanted])
        worst = max((s.status for s in result.values()), key=lambda status: status != "optimal")
        optima = np.array([solution.value for solution in result.values()])
        return worst, optima, x, lambda: [solution.certificate for solution in result.values()]

    def __str__(self) -> str:
        return "Program.solve"


def _by_solving(program: Program) -> Chosen:
    parameters = {p.id: p for one in program.subproblems.values() for p in one.parameters}
    starts, size = {}, 0
    for parameter in parameters.values():
        starts[parameter.id] = size
        size += parameter.size
    read = Reader.of(list(parameters.values()), starts)
    places, at = {}, 0
    for variable in _last_variables(program).values():
        places[variable.id] = np.arange(at, at + variable.size).reshape(variable.shape, order="F")
        at += variable.size
    return lambda _: RepeatedProgram(program, read), read, places


def _places(primal: Iterable[IndexRange]) -> dict[int, NDArray[np.intp]]:
    """The columns of each variable, in its shape."""
    return {
        part.id: np.arange(part.part.start, part.part.stop).reshape(part.shape, order="F")
        for part in primal
    }


def _last_variables(program: Program) -> dict[str, cp.Variable]:
    """The variables of the last stage, by their names in its results."""
    return {
        key: variable
        for subproblem in program.stages[-1].subproblems
        for key, variable in zip(subproblem.keys, subproblem.variables, strict=True)
    }


def _outputs(
    program: Program, wanted: Iterable[cp.Variable | str] | None
) -> list[tuple[str, cp.Variable]]:
    """Names and variables that are asked for; all of the last stage by default."""
    known = _last_variables(program)
    if wanted is None:
        return list(known.items())
    ids = {variable.id: name for name, variable in known.items()}
    chosen = []
    for one in [wanted] if isinstance(wanted, str | cp.Variable) else wanted:
        name = ids.get(one.id) if isinstance(one, cp.Variable) else one
        if name not in known:
            raise DeclarationError(
                f"compile: the last stage has no variable {one!s}; it has {there_are(known, one)}"
            )
        chosen.append((name, known[name]))
    return chosen


def _check(program: Program, wanted: Sequence[object], verify: object) -> None:
    if verify not in get_args(Verify):
        known = ", ".join(map(repr, get_args(Verify)))
        raise DeclarationError(f"verify is one of {known}, not {verify!r}.")
    declared = {p.id: p for one in program.subproblems.values() for p in one.parameters}
    names = {p.name(): p for p in declared.values()}
    for parameter in wanted:
        if not isinstance(parameter, cp.Parameter) or parameter.id not in declared:
            itself = " Give the cp.Parameter itself." if isinstance(parameter, str) else ""
            raise DeclarationError(
                f"compile: {parameter!s} is no parameter of this program; it has "
                f"{there_are(names, parameter)}{itself}"
            )
    given = {p.id for p in wanted if isinstance(p, cp.Parameter)}
    if len(given) < len(wanted):
        raise DeclarationError("compile: a parameter is named twice.")
    for parameter in declared.values():
        if parameter.id not in given and parameter.value is None:
            raise DeclarationError(
                f"compile: parameter {parameter.name()!r} has no value, and is not among those "
                "whose values are given later."
            )


def _template(
    read: Reader, wanted: Sequence[cp.Parameter], order: Literal["C", "F"]
) -> tuple[Array, list[_Slot]]:
    """The values of all parameters, with zeros for those that are given later, and their places."""
    values = np.ones(read.size + 1)
    places = {parameter.id: part for parameter, part in read.slots}
    given = {parameter.id for parameter in wanted}
    for parameter, part in read.slots:
        later = parameter.id in given
        values[part] = 0.0 if later else np.asarray(dense(parameter.value)).ravel(order)
    nowhere = slice(0, 0)  # of a parameter that no number depends on
    return values, [
        _Slot(p.name(), places.get(p.id, nowhere), p.shape, float(p.is_nonneg()) - p.is_nonpos())
        for p in wanted
    ]
