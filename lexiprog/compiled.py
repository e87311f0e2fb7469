"""A program as a function of arrays: what does not depend on its parameters is done once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias, get_args

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.certify.certificate import Certificate
from lexiprog.errors import DeclarationError, there_are
from lexiprog.status import Status
from lexiprog.typing import Array, Value

Verify: TypeAlias = Literal["always", "sampled", "never"]
# Of calls that are checked now and then, one in so many is.
SAMPLED = 16


@dataclass(frozen=True, slots=True)
class Optimum:
    """What a method found at some values of the parameters.

    Attributes
    ----------
    status : Status
    values : ndarray
        The optima, in the order of the subproblems; not numbers without a point.
    x : ndarray
        The point of the last stage.
    certificates : callable
        Makes the certificates, in the same order.
    """

    status: Status
    values: Array
    x: Array
    certificates: Callable[[], Sequence[Certificate]]


class Method(Protocol):
    """Who solves a program again and again; it can be pickled and is safe in threads."""

    def __call__(self, values: Array, *, verify: bool) -> Optimum:
        """Solve at these values of all parameters, which end with a one."""


@dataclass(frozen=True, slots=True)
class CompiledResult:
    """The optima of one call of a compiled program.

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


@dataclass(frozen=True)
class _Output:
    name: str
    part: slice
    shape: tuple[int, ...]


class CompiledProgram:
    """A program as a function of its parameters' values; made by :meth:`Program.compile`.

    It can be pickled, and several threads may call it at the same time.

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
        method: Method,
        template: Array,
        slots: Sequence[tuple[str, slice, tuple[int, ...]]],
        names: Sequence[str],
        outputs: Sequence[_Output],
        verify: Verify,
    ) -> None:
        self.parameters = tuple(name for name, _, _ in slots)
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
        for given, (name, part, shape) in zip(values, self._slots, strict=True):
            array = np.asarray(given, dtype=float)
            if array.shape != shape:
                raise ValueError(
                    f"parameter {name!r} has shape {shape}, but the value has {array.shape}."
                )
            full[part] = array if len(shape) < 2 else array.ravel(order="F")
        if np.isnan(full).any():
            raise ValueError("a value is not a number.")
        verify = self.verify == "always" or (self.verify == "sampled" and not self._calls % SAMPLED)
        self._calls += 1  # a count that threads share need not be exact
        found = self._method(full, verify=verify)
        return CompiledResult(
            found.status,
            dict(zip(self._names, found.values.tolist(), strict=True)),
            {
                out.name: found.x[out.part].reshape(out.shape, order="F") for out in self._outputs
            },
            verify,
            lambda: dict(zip(self._names, found.certificates(), strict=True)),
        )

    def __repr__(self) -> str:
        return f"CompiledProgram({', '.join(self.parameters)}: {self.method})"
