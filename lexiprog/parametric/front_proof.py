"""The proof that a front is complete, as plain numbers that another program can check."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from lexiprog.parametric.integer_search import FrontState
from lexiprog.parametric.region_solver import Statement
from lexiprog.parametric.slices import IntegerForm
from lexiprog.summary import counted


@dataclass(frozen=True, repr=False)
class FrontProof:
    """What shows that no point of a front is missing.

    :meth:`save` writes it to a file that ``docs/check_fronts.py`` checks, a page of Python which
    needs neither lexiprog nor a solver.

    Attributes
    ----------
    kind : str
        "integer": statements on slices of the objective space, which follow from integers.
        "regions": the same for programs with continuous columns, by a solver's bounds alone.
        "linear": facets with their multipliers, vertices with their points, in fractions.
        "convex": hyperplanes, and points within a stated error of all that lies above them.
    closed : tuple of Statement
        Of integer fronts, in the order in which they were proved: below which values nothing is
        missing, by slices (``multipliers``) or by the bound of an integer program (None).
    trusted : int
        How many of them are the word of an integer programming solver.
    numbers : mapping
        All that the file has.
    """

    kind: str
    numbers: Mapping[str, Any]
    closed: tuple[Statement, ...] = ()
    trusted: int = 0
    _text: list[str] = field(default_factory=list, compare=False)

    @classmethod
    def of_integers(
        cls, state: FrontState, whole: IntegerForm | None, error: Sequence[float] = ()
    ) -> FrontProof:
        """The proof of an integer front, or of one beside which others are better by ``error``."""
        told = [
            [
                [int(v) if whole is not None and isfinite(v) else _plain(v) for v in s.limits],
                s.axis,
                int(s.low) if s.multipliers is not None else None,
                s.multipliers,
            ]
            for s in state.statements
        ]
        trusted = sum(s.multipliers is None for s in state.statements)
        if whole is None:
            numbers: dict[str, Any] = {"values": state.values.array.tolist(), "statements": told}
            if any(error):
                numbers["resolution"] = list(error)
            return cls("regions", numbers, tuple(state.statements), trusted)
        points = [np.rint(x).astype(int).tolist() for x in state.points]
        digits = all(0 <= v <= 9 for v in [*whole.lower.tolist(), *whole.upper.tolist()])
        numbers = {
            key: getattr(whole, key).tolist()
            for key in ("rows", "sides", "costs", "lower", "upper")
        }
        numbers["points"] = ["".join(map(str, x)) for x in points] if digits else points
        return cls("integer", numbers | {"statements": told}, tuple(state.statements), trusted)

    @property
    def json(self) -> str:
        """The text of the file."""
        if not self._text:
            numbers = {"kind": self.kind, **self.numbers}
            self._text.append(json.dumps(numbers, separators=(",", ":")))
        return self._text[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what ``docs/check_fronts.py`` reads."""
        Path(path).write_text(self.json, encoding="utf-8")

    def __repr__(self) -> str:
        if self.kind in ("integer", "regions"):
            word = f", {self.trusted} of them by a solver's bound" if self.trusted else ""
            return f"proof: {counted(len(self.closed), 'statement')}{word}"
        return f"proof of a {self.kind} front"


def _plain(value: float) -> float | None:
    return value if isfinite(value) else None
