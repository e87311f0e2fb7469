"""What can be explored of a program: each held level's curve, as plain records for display."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExploreOutline", "LevelOutline", "PairOutline"]


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
class PairOutline:
    """Two held levels whose tolerances move at once, solved at every pair of a few of them.

    Attributes
    ----------
    names : (str, str)
    declared : (float, float)
    tolerances : (tuple of float, tuple of float)
        Of each level.
    optima : tuple of (name, sense, values)
        The problems after both, with their optimum at each pair, the second level's tolerance
        running fastest; None where it is not certain.
    """

    names: tuple[str, str]
    declared: tuple[float, float]
    tolerances: tuple[tuple[float, ...], tuple[float, ...]]
    optima: tuple[tuple[str, str, tuple[float | None, ...]], ...] = ()


@dataclass(frozen=True)
class ExploreOutline:
    """The levels of a program that others hold, each by itself and two at once."""

    levels: tuple[LevelOutline, ...]
    pairs: tuple[PairOutline, ...] = ()
