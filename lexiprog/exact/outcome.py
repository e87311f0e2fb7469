"""What an exact solution is: an optimum with its proof, or the proof that there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from lexiprog.exact.basis import Basis
from lexiprog.exact.systems.vectors import RationalVector, Vector

Kind = Literal["optimal", "infeasible", "unbounded"]
ExactStatus = Literal["optimal", "infeasible", "unbounded", "time_limit"]


NOTHING = Vector([], [])


@dataclass(frozen=True)
class Found:
    """How a search ended, with vectors over columns and activities in whole units.

    ``point`` and ``reduced`` are those of the basis; ``ray`` is a direction (unbounded) or weights
    of all variables whose sum is zero by the rows but positive within the limits (infeasible).
    """

    kind: Kind
    basis: Basis
    point: Vector = NOTHING
    reduced: Vector = NOTHING
    ray: Vector = NOTHING


@dataclass(frozen=True)
class ExactFace:
    """A face of a feasible set: what stays at its bound.

    Attributes
    ----------
    columns : dict of int to int
        Columns that stay at their lower (-1) or upper (+1) bound.
    rows : frozenset of int
        Inequalities ``Ax <= b`` that hold as equations.
    """

    columns: dict[int, int] = field(default_factory=dict)
    rows: frozenset[int] = frozenset()

    @classmethod
    def common(cls, faces: Iterable[ExactFace]) -> ExactFace:
        """What lies in all of the faces."""
        columns: dict[int, int] = {}
        rows: frozenset[int] = frozenset()
        for face in faces:
            columns = face.columns | columns
            rows |= face.rows
        return cls(columns, rows)


@dataclass(frozen=True)
class Tight:
    """Which bounds and rows a point meets exactly, among those of the whole program."""

    lower: frozenset[int] = frozenset()
    upper: frozenset[int] = frozenset()
    rows: frozenset[int] = frozenset()


@dataclass
class Effort:
    """What a proof took.

    Attributes
    ----------
    runs : int
        Runs of HiGHS, corrections included.
    corrections : int
        Runs that magnified what was exactly wrong with a basis.
    pivots : int
        Pivots in exact arithmetic.
    core : int
        Rows of the largest system that was not solved by substitution alone.
    seconds : float
        Wall-clock time.
    """

    runs: int = 0
    corrections: int = 0
    pivots: int = 0
    core: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """A proved answer; every number in it is exact, and was checked against the data.

    Attributes
    ----------
    status : {"optimal", "infeasible", "unbounded", "time_limit"}
        The last one means that nothing was proved in time.
    value : Fraction or None
        The optimum, offset included.
    x : RationalVector or None
        An optimal point; if unbounded, a feasible one.
    y : RationalVector or None
        Multipliers of the rows ``b - Ax``: not negative for inequalities that the face does not
        fix. If infeasible, weights of the rows that prove it: ``b'y`` is less than
        ``(A'y)'x`` for every ``x`` within its bounds.
    reduced : RationalVector or None
        ``c + A'y``; if infeasible, ``A'y``.
    direction : RationalVector or None
        If unbounded, where the objective falls for ever.
    crossed : int or None
        A column whose lower bound is above its upper one: infeasible without any row.
    face : ExactFace
        All optimal points: what the multipliers fix, and what was fixed before.
    tight : Tight
        What the optimal point meets.
    basis : Basis or None
        Where it ended; the next level may start from it.
    effort : Effort
        What it took.
    """

    status: ExactStatus
    value: Fraction | None = None
    x: RationalVector | None = None
    y: RationalVector | None = None
    reduced: RationalVector | None = None
    direction: RationalVector | None = None
    crossed: int | None = None
    face: ExactFace = field(default_factory=ExactFace)
    tight: Tight = field(default_factory=Tight, repr=False)
    basis: Basis | None = field(default=None, repr=False)
    effort: Effort = field(default_factory=Effort, repr=False)
