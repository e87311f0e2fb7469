"""What can be explored of a program: each held level's curve, as plain records for display."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExploreOutline", "LevelOutline"]


@dataclass(frozen=True)
class LevelOutline:
    """One held level: what the later optima and the variables are at each of its tolerances.

    Attributes
    ----------
    name : str
    declared : float
        The tolerance that the program declares.
    tolerances : tuple of float
        Rising; between two of them everything changes linearly, or not at all if ``steps``.
    optima : tuple of (name, sense, values)
        Each later problem with its optimum at each tolerance.
    variables : tuple of (name, values)
        Entries of the last stage's variables that move, at each tolerance.
    steps : bool
    note : str
        How exact this is, or why there is no curve.
    """

    name: str
    declared: float
    tolerances: tuple[float, ...] = ()
    optima: tuple[tuple[str, str, tuple[float, ...]], ...] = ()
    variables: tuple[tuple[str, tuple[float, ...]], ...] = ()
    steps: bool = False
    note: str = ""


@dataclass(frozen=True)
class ExploreOutline:
    """The levels of a program that others hold."""

    levels: tuple[LevelOutline, ...]
