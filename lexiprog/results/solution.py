"""A frozen copy of one subproblem's certified optimum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar, cast

import cvxpy as cp
import numpy as np

from lexiprog.certify.certificate import BASIS_WORDS, Certificate
from lexiprog.errors import UnknownName, blank, there_are, this_version
from lexiprog.model.expressions import ENTRY_NAMES, evaluate, read_only, read_only_copies
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence, LockRecord
from lexiprog.results.files import BadRecord, finite, fitted
from lexiprog.results.fingerprint import Fingerprint, fingerprint_of
from lexiprog.status import Status
from lexiprog.summary import SolutionSummary, SolvedSummary, draw, solution_text
from lexiprog.typing import (
    Constraint,
    Leaf,
    Multiplier,
    Options,
    Record,
    Value,
    Values,
    cached_property,
)

T = TypeVar("T")
# Entries with names that are listed when a solution is shown.
MOST_SHOWN = 40


@dataclass(frozen=True)
class _Deferred:
    make: Callable[[], object]


def deferred(make: Callable[[], T]) -> T:
    """A value for a field that is made on demand: ``make`` is called when somebody asks for it."""
    return cast("T", _Deferred(make))


class _OnDemand:
    """A descriptor for fields that few ask for and that take long to make (see ``deferred``)."""

    def __init__(self, default: object) -> None:
        self._default = default

    def __set_name__(self, _: type, name: str) -> None:
        self._slot = f"_{name}_or_deferred"

    def __get__(self, instance: object | None, _: type) -> object:
        if instance is None:
            return self._default
        value = self.as_given(instance)
        if isinstance(value, _Deferred):
            value = value.make()
            self.__set__(instance, value)
        return value

    def as_given(self, instance: object) -> object:
        """The value, still deferred if nobody has asked for it."""
        return getattr(instance, self._slot)

    def __set__(self, instance: object, value: object) -> None:
        if value is self:  # the default of dataclasses.field
            value = self._default
        object.__setattr__(instance, self._slot, value)


def _on_demand(default: object) -> Any:
    """The default of a field that may be given as a deferred value."""
    return _OnDemand(default)


class Level(NamedTuple):
    """A value, and the names of all whose utility is settled there."""

    value: float
    names: tuple[Hashable, ...]

    @classmethod
    def from_record(cls, record: object, place: str = "level") -> Level:
        """The level that a file holds as a pair."""
        pair = fitted(tuple[Any, ...], record, place)
        if len(pair) != 2:
            raise BadRecord(place, "this is no pair of a value and names")
        value, names = pair
        return cls(
            fitted(float, value, f"{place}[0]"), fitted(tuple[str | int, ...], names, f"{place}[1]")
        )


@dataclass(frozen=True)
class Lottery:
    """Columns that an oracle found, each with its weight; weights sum to one.

    Attributes
    ----------
    columns : ndarray of shape (columns, utilities)
        What everyone gets from each, in the order of the declaration.
    weights : ndarray of shape (columns,)
    """

    columns: Value
    weights: Value


@dataclass(frozen=True)
class Solution:
    """The certified optimum of one subproblem, copied out of CVXPY and never changed again.

    ``solution[x]`` is the value of variable ``x`` (an object or a name), ``solution.at(expr)``
    that of any expression of its variables, ``solution.dual(constraint)`` a multiplier.

    Attributes
    ----------
    value : float
        The objective evaluated at the returned point.
    status : str
        "optimal", "optimal_inaccurate" where what it holds is not known well enough, "within_gap"
        for an integer point that the user accepted by a gap or limit, "local" for a level that is
        not convex, or "unfinished".
    solver : str
        Who found it.
    timings : mapping
        Seconds spent in "compile" and "solve"; ``iterations`` as the solver counts them, or None.
    certificate : Certificate
        Why this is an optimum.
    bound : float or None
        What the optimum is proved not to be better than; None if nothing is proved.
    unit : float
        What counts as one for the objective: tolerances are relative to ``unit + abs(value)``.
    exact : Fraction or None
        The optimum itself, if it was found by ``Solver("EXACT")``; with it ``exact_variables``, a
        mapping from names to arrays of fractions, and ``exact_duals``, one a constraint.
    levels : tuple of (value, names)
        Of a leximin or leximax, from the worst level up, with all who are settled on each; empty
        otherwise. ``value``, ``bound`` and the multipliers speak of the first level.
    lottery : Lottery or None
        The columns that an oracle found, with their weights.
    parameters, references : mapping
        The user's parameters and the earlier optima this problem was solved with.
    locks : tuple of LockRecord
        The earlier optima that were held.
    effects : mapping
        How much what is not known of each earlier optimum it uses may have changed the value.
    entry_names, row_names : mapping
        Names of the entries of variables, and of constraints by position, that came with some:
        ``solution["flow"]`` and ``solution.dual("demand")`` find these, too.
    rank : mapping
        Of a level of least squares: how many directions it was solved for ("rank"), how many of its
        "rows" were active, the smallest pivot that was used and the largest that was not, and the
        largest entry of the point; empty otherwise.
    digest : Fingerprint or None
        A trace of the problem as it was declared; ``resume`` and ``load`` compare it.
    evidence : Evidence or None
        The numbers that the certificate was computed from; as large as the problem, so that files
        hold them only if asked to, and pickles never.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, name="x")
    >>> floor = x >= [1, 2]
    >>> low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [floor])
    >>> solution = lx.Program(lx.Stage("only", low)).solve()["low"]
    >>> solution.value, solution[x].tolist(), solution.dual(floor).tolist()
    (3.0, [1.0, 2.0], [1.0, 1.0])
    >>> float(solution.at(x[1] - x[0]))
    1.0
    """

    name: str
    stage: str
    value: float
    status: Status
    solver: str
    certificate: Certificate
    variables: Values
    bound: float | None = None
    unit: float = 1.0
    duals: tuple[Multiplier | None, ...] = ()
    options: Options = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    iterations: int | None = None
    parameters: Values = field(default_factory=dict)
    references: Values = field(default_factory=dict)
    locks: tuple[LockRecord, ...] = field(default=_on_demand(()))
    effects: Mapping[str, float] = field(default_factory=dict)
    attempts: tuple[str, ...] = ()
    exact: Fraction | None = None
    exact_variables: Values = field(default_factory=dict)
    exact_duals: tuple[Value | None, ...] = ()
    levels: tuple[Level, ...] = ()
    lottery: Lottery | None = None
    entry_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    row_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rank: Mapping[str, float] = field(default_factory=dict)
    digest: Fingerprint | None = field(default=_on_demand(None))
    evidence: Evidence | None = field(default=_on_demand(None), repr=False, compare=False)
    # By CVXPY id, for look-up by object: neither saved nor pickled, as ids mean nothing elsewhere.
    _leaves: Mapping[int, Value] = field(default_factory=dict, repr=False, compare=False)
    _rows: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("variables", "parameters", "references", "exact_variables"):
            object.__setattr__(self, name, read_only_copies(getattr(self, name)))
        for name in ("options", "timings", "effects", "entry_names", "row_names", "rank"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for name in ("duals", "exact_duals"):
            parts = (None if dual is None else read_only(dual) for dual in getattr(self, name))
            object.__setattr__(self, name, tuple(parts))

    def _fields(self) -> Record:
        """Every field but those that mean nothing in another process, or are too large for it."""
        names = [f.name for f in fields(self) if f.name[0] != "_" and f.name != "evidence"]
        named = {name: getattr(self, name) for name in names}
        return {k: dict(v) if isinstance(v, Mapping) else v for k, v in named.items()}

    def __reduce__(self) -> tuple[object, ...]:
        return blank, (Solution, this_version()), self._fields()

    def __setstate__(self, state: Record) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @cached_property
    def size(self) -> float:
        """What errors of the value are compared with."""
        return self.unit + abs(self.value)

    @cached_property
    def uncertainty(self) -> float:
        """How far the true optimum may be from the value, by its bound and what it inherits."""
        own = float("inf") if self.bound is None else abs(self.value - self.bound)
        return own + sum(self.effects.values())

    def changed(self, **fields: Any) -> Self:
        """The same with other fields; what is made when asked for is not made by this."""
        later = {
            name: field.as_given(self)
            for name, field in vars(Solution).items()
            if isinstance(field, _OnDemand)
        }
        return replace(self, **{**later, **fields})

    @property
    def seconds(self) -> float:
        """Compile and solve time together."""
        return float(sum(self.timings.values()))

    def __getitem__(self, variable: cp.Variable) -> Value:
        if not hasattr(variable, "id"):
            if variable in self.variables:
                return self.variables[variable]
            if variable in self._entries:
                key, place = self._entries[variable]
                return np.asarray(self.variables[key].ravel(order="F")[place])
        elif variable.id in self._leaves:
            return self._leaves[variable.id]
        elif not self._leaves and str(variable.name()) in self.variables:
            return self.variables[str(variable.name())]
        name = variable.name() if hasattr(variable, "id") else variable
        raise UnknownName(
            f"subproblem {self.name!r} has no variable {name!r}; it has "
            f"{there_are(self.variables, name)}{self._detached}"
        )

    @cached_property
    def _entries(self) -> dict[str, tuple[str, int]]:
        """Key and place of the entries that have names."""
        named = self.entry_names.items()
        return {name: (key, k) for key, names in named for k, name in enumerate(names)}

    @property
    def _detached(self) -> str:
        if self._leaves:
            return ""
        return (
            " (A loaded or unpickled result knows CVXPY objects only by name; "
            "Result.load(path, program=...) connects it again.)"
        )

    def at(self, expression: cp.Expression) -> Value:
        """Value of a CVXPY expression of this problem's variables and parameters.

        Parameters that this problem does not use keep the value they have now.
        """
        value: Value = evaluate(expression, self.recorded(expression))
        return value

    def recorded(self, expression: cp.Expression) -> list[tuple[Leaf, Value]]:
        """The variables of an expression, and the parameters known here, with their values."""
        known = [leaf for leaf in expression.parameters() if leaf.id in self._leaves]
        return [(leaf, self[leaf]) for leaf in expression.variables()] + [
            (leaf, self._leaves[leaf.id]) for leaf in known
        ]

    # Mostly one array: callers should not have to rule out the list of a cone first.
    def dual(self, constraint: Constraint | int | str) -> Any:
        """Multiplier of a constraint, given as the object, its position or the name of a row."""
        if isinstance(constraint, str):
            return self._dual_of_row(constraint)
        position = constraint if isinstance(constraint, int) else self._rows.get(constraint.id)
        if position is None or not -len(self.duals) <= position < len(self.duals):
            raise UnknownName(
                f"subproblem {self.name!r} has no such constraint: {constraint}; it has "
                f"{len(self.duals)} of them, also reached by position.{self._detached}"
            )
        multiplier = self.duals[position]
        if multiplier is None:
            raise UnknownName(
                f"constraint {constraint} of subproblem {self.name!r} has no multiplier: "
                "integer problems have none, and custom solvers need not give any."
            )
        return multiplier

    def _dual_of_row(self, row: str) -> Any:
        """The multiplier of a row with a name; of a range, of the side that binds."""
        found = [
            np.asarray(self.dual(int(position))).ravel(order="F")[names.index(row)]
            for position, names in self.row_names.items()
            if row in names
        ]
        if not found:
            known = [name for names in self.row_names.values() for name in names]
            raise UnknownName(f"no row is called {row!r}; there are {there_are(known, row)}")
        return max(found, key=abs)

    def price(self, name: str) -> float | None:
        """Gain in this objective per unit of further slack on the held optimum ``name``."""
        held = {lock.name: lock for lock in self.locks}
        if name not in held:
            known = there_are(held, name)
            raise UnknownName(f"subproblem {self.name!r} does not hold {name!r}; it holds {known}")
        return held[name].price

    def record(self, *, evidence: bool = False) -> Record:
        """Everything but the CVXPY ids, as plain containers and arrays."""
        plain: Record = {"certificate": asdict(self.certificate)}
        plain["locks"] = [lock.record() for lock in self.locks]
        plain["lottery"] = None if self.lottery is None else vars(self.lottery)
        plain["digest"] = None if self.digest is None else asdict(self.digest)
        if evidence and self.evidence is not None:
            plain["evidence"] = self.evidence.record()
        return self._fields() | plain

    @property
    def summary(self) -> SolvedSummary:
        """What was found, as a plain record for display."""
        return SolvedSummary(
            value=self.value,
            status=self.status,
            solver=self.solver,
            seconds=self.seconds,
            certified=self.certificate.passed,
            certificate=str(self.certificate),
            basis=self.certificate.basis,
            locks=tuple(lock.summary for lock in self.locks),
            bound=self.bound,
            levels=self.levels,
        )

    @property
    def _shown(self) -> SolutionSummary:
        return SolutionSummary(self.name, self.summary, self.shown_variables)

    @property
    def shown_variables(self) -> Values:
        """The variables by name; of those whose entries have names, the ones that are not zero."""
        if not self.entry_names:
            return self.variables
        shown = {k: v for k, v in self.variables.items() if k not in self.entry_names}
        shown |= {k: self[k] for k in self._entries if self[k] != 0.0}
        few = dict(islice(shown.items(), MOST_SHOWN))
        if len(shown) > len(few):
            few[f"... and {len(shown) - len(few)} more that are not"] = np.zeros(())
        return few

    def _repr_html_(self) -> str | None:
        return draw(self._shown)

    def __str__(self) -> str:
        return solution_text(self._shown, self.certificate.words)

    __repr__ = __str__


def check_numbers(solution: Solution, place: str) -> None:
    """Refuse what no solve can have found: numbers that are none, words that mean nothing."""
    if solution.certificate.basis not in BASIS_WORDS:
        raise BadRecord(f"{place}.certificate.basis", f"this is one of {', '.join(BASIS_WORDS)}")
    interval = solution.certificate.interval
    if interval is not None and len(interval) != 2:
        raise BadRecord(f"{place}.certificate.interval", "this is no pair of numbers")
    numbers: Record = {"value": solution.value, "unit": solution.unit}
    numbers |= {"bound": solution.bound, "timings": [*solution.timings.values()]}
    numbers |= {f"variables.{key}": value for key, value in solution.variables.items()}
    numbers |= {f"levels[{k}]": level.value for k, level in enumerate(solution.levels)}
    if solution.evidence is not None:
        form = solution.evidence.form
        parts = {"x": solution.evidence.x, "z": solution.evidence.z, "c": form.c, "A": form.A.data}
        numbers |= {f"evidence.{key}": value for key, value in parts.items()}
    for name, value in numbers.items():
        if value is not None:
            finite(value, f"{place}.{name}")


def names_inside(subproblem: Subproblem) -> Record:
    """The fields that keep the names of entries of its variables and constraints."""
    variables = zip(subproblem.keys, subproblem.variables, strict=True)
    rows = ((str(k), c) for k, c in enumerate(subproblem.constraints))
    return {
        field: {key: names for key, thing in things if (names := ENTRY_NAMES.get(thing))}
        for field, things in (("entry_names", variables), ("row_names", rows))
    }


def fields_by_id(
    variables: Mapping[str, Value], subproblem: Subproblem, constants: Mapping[int, Value]
) -> Record:
    """The fields by which a solution with these values is known to CVXPY objects."""
    leaves = dict(constants)
    for key, variable in zip(subproblem.keys, subproblem.variables, strict=True):
        leaves[variable.id] = variables[key]
    rows = {constraint.id: k for k, constraint in enumerate(subproblem.constraints)}
    return {
        "_leaves": leaves,
        "_rows": rows,
        **names_inside(subproblem),
        "digest": deferred(partial(fingerprint_of, subproblem)),
    }
