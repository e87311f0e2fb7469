"""A plain record of a hierarchy that could not be solved to its end, and why."""

from __future__ import annotations

from dataclasses import dataclass

from lexiprog.aliases import Values
from lexiprog.errors import Attempt, ConflictPart
from lexiprog.outline.drawing import draw
from lexiprog.outline.records import ResultOutline

__all__ = ["FailureOutline"]


@dataclass(frozen=True)
class FailureOutline:
    """What was declared and found, where it stops, who was asked, and what contradicts what."""

    result: ResultOutline
    problem: str
    status: str
    reason: str
    attempts: tuple[Attempt, ...]
    conflict: tuple[ConflictPart, ...] = ()
    direction: Values | None = None

    def html(self) -> str | None:
        """As HTML, if somebody has registered how to draw it."""
        return draw(self)
