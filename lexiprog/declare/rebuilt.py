"""Programs that travel as the function that builds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import cvxpy as cp

from lexiprog.declare.frozen import Frozen
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem

__all__ = ["Rebuilt"]


class Rebuilt(Frozen):
    """A declaration of stages which, if a function has built it, can be pickled."""

    stages: tuple[Stage, ...]
    _recipe: tuple[Callable[..., Any], tuple[Any, ...]]  # if there is one

    def __init__(self, *stages: Stage) -> None:
        raise NotImplementedError

    @property
    def subproblems(self) -> Mapping[str, Subproblem]:
        """Every subproblem by name, in stage order."""
        raise NotImplementedError

    @classmethod
    def from_function(cls, build: Callable[..., Self], *arguments: Any) -> Self:
        """The program that a function builds, which can be pickled: it is built again there.

        The values that parameters have go along, so that whole programs can be solved in other
        processes: ``executor.submit(lx.Program.solve, lx.Program.from_function(build, 2030))``.
        What comes back is a Result; ``program.adopt(result)`` connects it to the objects here.

        Parameters
        ----------
        build : callable
            Returns a program, the same one for the same arguments.
        *arguments
            For ``build``; these and the function's name are what is pickled.

        Examples
        --------
        >>> import pickle, cvxpy as cp, lexiprog as lx
        >>> def build(least):
        ...     x = cp.Variable(name="x")
        ...     return lx.preemptive({"low": cp.Minimize(x)}, [x >= least])
        >>> program = lx.Program.from_function(build, 3)
        >>> program.solve()["low"].value
        3.0
        """
        made = cls(*build(*arguments).stages)
        made._declare(_recipe=(build, arguments))
        return made

    def __reduce__(self) -> tuple[object, ...]:
        if not hasattr(self, "_recipe"):
            self._refuse_copies()
        return _rebuilt, (type(self), *self._recipe, [p.value for p in _parameters(self)])


def _parameters(program: Rebuilt) -> list[cp.Parameter]:
    listed = {p.id: p for one in program.subproblems.values() for p in one.parameters}
    return list(listed.values())


def _rebuilt(
    kind: type[Rebuilt], build: Callable[..., Any], arguments: tuple[Any, ...], values: list[Any]
) -> Rebuilt:
    program = kind.from_function(build, *arguments)
    for parameter, value in zip(_parameters(program), values, strict=True):
        parameter.value = value
    return program
