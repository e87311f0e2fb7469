"""Declarations hold what was said and cannot be changed; a function may build them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NoReturn, Self, TypeVar

import cvxpy as cp

if TYPE_CHECKING:
    from lexiprog.model.stage import Stage
    from lexiprog.model.subproblem import Subproblem
    from lexiprog.typing import Value


Made = TypeVar("Made", bound="Rebuilt")


class Frozen:
    """A class whose instances are written once, through :meth:`_declare`."""

    name: str

    def _declare(self, **fields: object) -> None:
        for field, value in fields.items():
            if hasattr(self, field):
                raise AttributeError(f"{type(self).__name__}.{field} is declared twice.")
            object.__setattr__(self, field, value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"{self!r} is a declaration: its {field} cannot be changed.")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"{self!r} is a declaration: its {field} cannot be deleted.")

    def __copy__(self) -> Self:
        return self  # what cannot change needs no second copy

    def __deepcopy__(self, memo: object) -> NoReturn:
        self._refuse_copies()

    def __reduce__(self) -> tuple[object, ...]:
        self._refuse_copies()

    def _refuse_copies(self) -> NoReturn:
        # CVXPY numbers its variables anew in each process, but a pickled or copied one keeps its
        # number, so that it and another variable may be taken for each other: a wrong answer,
        # without a word.
        raise TypeError(
            f"{type(self).__name__} objects cannot be pickled or deep-copied, since CVXPY's "
            "variables would be taken for others there: build them in a function and call that "
            "where they are needed, in the other process too: Program.from_function(build) does "
            "that when it is pickled (a Result can be pickled as it is)."
        )


class Rebuilt(Frozen):
    """A declaration of stages which, if a function has built it, can be pickled."""

    stages: tuple[Stage, ...]
    _recipe: tuple[Callable[..., Rebuilt], tuple[object, ...]]  # if there is one

    def __init__(self, *stages: Stage) -> None:
        raise NotImplementedError

    @property
    def subproblems(self) -> Mapping[str, Subproblem]:
        """Every subproblem by name, in stage order."""
        raise NotImplementedError

    @classmethod
    def from_function(cls, build: Callable[..., Self], *arguments: object) -> Self:
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
    kind: type[Made], build: Callable[..., Made], arguments: tuple[object, ...], values: list[Value]
) -> Made:
    program = kind.from_function(build, *arguments)
    for parameter, value in zip(_parameters(program), values, strict=True):
        parameter.value = value
    return program
