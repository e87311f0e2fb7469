"""Declarations hold what was said and cannot be changed."""

from __future__ import annotations

from typing import NoReturn, Self


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
        self.__reduce__()

    def __reduce__(self) -> NoReturn:
        # CVXPY numbers its variables anew in each process, but a pickled or copied one keeps its
        # number, so that it and another variable may be taken for each other: a wrong answer,
        # without a word.
        raise TypeError(
            f"{type(self).__name__} objects cannot be pickled or deep-copied, since CVXPY's "
            "variables would be taken for others there: build them in a function and call that "
            "where they are needed, in the other process too (a Result can be pickled)."
        )
