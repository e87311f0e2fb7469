"""What a solver claims, before anybody has checked it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.measures import Measures
from lexiprog.status import Fault, Status
from lexiprog.typing import Array, Multiplier, ValuesById

if TYPE_CHECKING:
    from lexiprog.results.evidence import Evidence
    from lexiprog.results.solution import Lottery
    from lexiprog.solve.face import FaceOptimum, FaceVertex


@dataclass(frozen=True)
class ExactAnswer:
    """The same in rational numbers, keyed alike; arrays of fractions."""

    value: Fraction
    primal: ValuesById
    dual: ValuesById


@dataclass(frozen=True)
class HeldOptima:
    """What a backend that keeps to optimal faces knows of the optima it holds, by their names.

    Attributes
    ----------
    values : mapping of str to float
        The held objectives at the point, where they are rows.
    effects : mapping of str to float
        How much what is not known of each may have changed the value, where the backend knows it.
    proofs : mapping of str to Evidence
        What proves the faces that are held.
    level : FaceOptimum, FaceVertex or None
        What the backend wants back once the answer is accepted.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    effects: Mapping[str, float] = field(default_factory=dict)
    proofs: Mapping[str, Evidence] = field(default_factory=dict)
    level: FaceOptimum | FaceVertex | None = None


_NOTHING_KNOWN = HeldOptima()

UserLevels = tuple[tuple[float, tuple[int, ...]], ...]  # values, and who is on each, by position


@dataclass(frozen=True)
class LeximinAnswer:
    """What a leximin problem has beside a point: its levels, already measured.

    Attributes
    ----------
    levels : tuple of (value, positions)
        In the user's sense, from the worst up.
    measured : Measures
        The certificate of all levels, and the bound of the first in the user's sense.
    unit : float
        What counts as one.
    duals : tuple or None
        Multipliers of the first level by constraint, where no compiled form has them.
    evidence, lottery : object or None
        Numbers that prove the first level; columns with weights.
    inaccurate : str
        Why some level is not known well enough; empty if all are.
    """

    levels: UserLevels
    measured: Measures
    unit: float
    duals: tuple[Multiplier | None, ...] | None = None
    evidence: Evidence | None = None
    lottery: Lottery | None = None
    inaccurate: str = ""


@dataclass(frozen=True)
class Answer:
    """A status and, where there is one, a point with its multipliers.

    ``value``, ``primal`` and ``dual``, keyed by the ids of CVXPY's variables and constraints, are
    in the user's units; ``form``, ``x``, ``z``, ``claimed`` and ``bound`` are what the certificate
    is computed from, in the equilibrated units in which the problem was solved.
    """

    status: Status
    said: str = ""  # the solver's own word, where it says more than the status
    reason: str = ""  # ours, where it is not the solver who found that it failed
    fault: Fault = Fault.NONE  # what a backend of ours has met, where that is known
    inaccurate: str = ""  # why the point may be used but is not called optimal
    iterations: int | None = None
    seconds: float = 0.0

    value: float = np.nan  # in the problem's own sense
    primal: ValuesById = field(default_factory=dict)
    dual: ValuesById = field(default_factory=dict)

    form: StandardForm | None = None
    x: Array | None = None
    z: Array | None = None
    claimed: float = np.nan  # in the minimising sense of the form
    bound: float | None = None
    refined: bool = False  # whether x and z were found with twice the digits of floats
    measured: Measures | None = None  # of x and z, where somebody has measured them already

    held: HeldOptima = _NOTHING_KNOWN
    exact: ExactAnswer | None = None
    leximin: LeximinAnswer | None = None
