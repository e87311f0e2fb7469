"""A frozen copy of one subproblem's certified optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint, Leaf, Options, Value, Values
from lexiprog.declare.leaves import evaluate
from lexiprog.outline.drawing import draw
from lexiprog.outline.records import SolutionOutline, SolvedOutline
from lexiprog.outline.text import array_text
from lexiprog.proof.certificate import Certificate
from lexiprog.result.digest import Digest
from lexiprog.result.evidence import Evidence
from lexiprog.result.files.reading import fitted_fields
from lexiprog.result.lock_record import LockRecord
from lexiprog.status import Status

__all__ = ["Solution"]


def frozen(value: Any) -> Any:
    """A read-only copy of an array (or of a list of arrays)."""
    if isinstance(value, list | tuple):
        return tuple(frozen(part) for part in value)
    copy = np.array(value)
    copy.setflags(write=False)
    return copy


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
        "optimal"; "within_gap" for an integer point whose gap the user accepted; or
        "optimal_inaccurate" where the optima it holds are not known well enough.
    solver : str
        Who found it.
    timings : mapping
        Seconds spent in "compile" and "solve".
    iterations : int or None
        As the solver counts them.
    certificate : Certificate
        Why this is an optimum.
    bound : float or None
        What the optimum is proved not to be better than; None if nothing is proved.
    parameters, references : mapping
        The user's parameters and the earlier optima this problem was solved with.
    locks : tuple of LockRecord
        The earlier optima that were held.
    digest : Digest or None
        A trace of the problem as it was declared; ``resume`` and ``load`` compare it.

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
    duals: tuple[Value | tuple[Value, ...] | None, ...] = ()
    options: Options = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    iterations: int | None = None
    parameters: Values = field(default_factory=dict)
    references: Values = field(default_factory=dict)
    locks: tuple[LockRecord, ...] = ()
    attempts: tuple[str, ...] = ()
    digest: Digest | None = None
    # Values and positions by CVXPY id, for look-up by object: not saved and not pickled,
    # since the ids mean nothing in another process. Evidence is as large as the problem, so it is
    # saved only if asked for.
    _leaves: Mapping[int, Value] = field(default_factory=dict, repr=False, compare=False)
    _rows: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)
    _evidence: Evidence | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("variables", "parameters", "references"):
            copies = {key: frozen(value) for key, value in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(copies))
        for name in ("options", "timings"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        duals = tuple(None if dual is None else frozen(dual) for dual in self.duals)
        object.__setattr__(self, "duals", duals)

    def _fields(self) -> dict[str, Any]:
        """Every field but those that are not saved."""
        named = {f.name: getattr(self, f.name) for f in fields(self) if f.name[0] != "_"}
        return {k: dict(v) if isinstance(v, Mapping) else v for k, v in named.items()}

    def __reduce__(self) -> Any:  # frozen: made anew rather than filled in afterwards
        return partial(Solution, **self._fields()), ()

    @property
    def evidence(self) -> Evidence | None:
        """The numbers that the certificate was computed from; pickles and most files lack them."""
        return self._evidence

    @property
    def seconds(self) -> float:
        """Compile and solve time together."""
        return float(sum(self.timings.values()))

    def __getitem__(self, variable: Any) -> Any:
        if not hasattr(variable, "id"):
            if variable in self.variables:
                return self.variables[variable]
        elif variable.id in self._leaves:
            return self._leaves[variable.id]
        elif not self._leaves and str(variable.name()) in self.variables:
            return self.variables[str(variable.name())]
        name = variable.name() if hasattr(variable, "id") else variable
        raise KeyError(
            f"subproblem {self.name!r} has no variable {name!r}; "
            f"it has {', '.join(map(repr, self.variables))}.{self._detached}"
        )

    @property
    def _detached(self) -> str:
        return (
            ""
            if self._leaves
            else (
                " (A loaded or unpickled result knows CVXPY objects only by name; "
                "Result.load(path, program=...) connects it again.)"
            )
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

    def dual(self, constraint: Constraint) -> Any:
        """Multiplier of a constraint, given as the object or as its position."""
        position = constraint if isinstance(constraint, int) else self._rows.get(constraint.id)
        if position is None or not -len(self.duals) <= position < len(self.duals):
            raise KeyError(
                f"subproblem {self.name!r} has no such constraint: {constraint}; it has "
                f"{len(self.duals)} of them, also reached by position.{self._detached}"
            )
        if self.duals[position] is None:
            raise KeyError(
                f"constraint {constraint} of subproblem {self.name!r} has no multiplier: "
                "integer problems have none, and custom solvers need not give any."
            )
        return self.duals[position]

    def price(self, name: str) -> float | None:
        """Gain in this objective per unit of further slack on the held optimum ``name``."""
        for lock in self.locks:
            if lock.name == name:
                return lock.price
        held = ", ".join(repr(lock.name) for lock in self.locks) or "none"
        raise KeyError(f"subproblem {self.name!r} does not hold {name!r}; it holds {held}.")

    def attached(
        self, leaves: Mapping[int, Value], rows: Mapping[int, int], digest: Digest
    ) -> Solution:
        """The same solution, reached by these CVXPY ids as well as by name."""
        return replace(self, _leaves=dict(leaves), _rows=dict(rows), digest=digest)

    def record(self) -> dict[str, Any]:
        """Everything but the CVXPY ids, as plain containers and arrays."""
        locks = [lock.record() for lock in self.locks]
        digest = None if self.digest is None else asdict(self.digest)
        plain = {"certificate": asdict(self.certificate), "locks": locks, "digest": digest}
        return self._fields() | plain

    @classmethod
    def from_record(cls, record: Any, place: str = "solution") -> Solution:
        """The solution that :meth:`record` described; ``place`` says where in a file it stands."""
        return cls(**fitted_fields(cls, record, place))

    @property
    def outline(self) -> SolvedOutline:
        """What was found, as a plain record for display."""
        return SolvedOutline(
            value=self.value,
            status=self.status,
            solver=self.solver,
            seconds=self.seconds,
            certified=self.certificate.passed,
            certificate=str(self.certificate),
            locks=tuple(lock.outline for lock in self.locks),
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        return draw(SolutionOutline(self.name, self.outline, self.variables))

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.value:.10g} ({self.status}, {self.solver})"]
        for key, value in self.variables.items():
            text = array_text(value)
            lines.append(f"  {key} = {text}".replace("\n", "\n    "))
        return "\n".join([*lines, f"  {self.certificate}"])
