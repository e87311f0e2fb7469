"""What a solver claims, before anybody has checked it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.measures import Measured
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


UserLevels = tuple[tuple[float, tuple[int, ...]], ...]  # values, and who is on each, by position


@dataclass(frozen=True)
class Shares:
    """What a fair problem has beside a point: its levels, already checked.

    Attributes
    ----------
    levels : tuple of (value, positions)
        In the user's sense, from the worst up.
    checked : Measured
        The certificate of all levels, and the bound of the first in the user's sense.
    unit : float
        What counts as one.
    duals : tuple or None
        Multipliers of the first level by constraint, where no compiled form has them.
    evidence, lottery : object or None
        Numbers that prove the first level; columns with weights.
    doubt : str
        Why some level is not known well enough; empty if all are.
    """

    levels: UserLevels
    checked: Measured
    unit: float
    duals: tuple[Multiplier | None, ...] | None = None
    evidence: Evidence | None = None
    lottery: Lottery | None = None
    doubt: str = ""


@dataclass(frozen=True)
class Answer:
    """A status and, where there is one, a point with its multipliers.

    ``value``, ``primal`` and ``dual``, keyed by the ids of CVXPY's variables and constraints, are
    in the user's units; ``claimed``, ``bound``, ``x`` and ``z`` belong to ``form``, the problem in
    the equilibrated units in which it was solved and is judged.
    """

    status: Status
    said: str = ""  # the solver's own word, where it says more than the status
    fault: Fault = Fault.NONE  # what a runner of ours has met, where that is known
    value: float = np.nan  # in the problem's own sense
    claimed: float = np.nan  # in the minimising sense of the form
    x: Array | None = None
    z: Array | None = None
    bound: float | None = None
    iterations: int | None = None
    seconds: float = 0.0
    primal: ValuesById = field(default_factory=dict)
    dual: ValuesById = field(default_factory=dict)
    form: StandardForm | None = None
    exact: ExactAnswer | None = None
    point: Array | None = None  # in the user's units, where the form's columns are all of it
    held: Mapping[str, float] | None = None  # held objectives at the point, where they are rows
    # How much each held optimum may have changed the value, where the runner knows better.
    doubts: dict[str, float] = field(default_factory=dict)
    doubt: str = ""  # why the point may be used but is not called optimal
    # What proves the faces that are held.
    owners: Mapping[str, Evidence] = field(default_factory=dict)
    refined: bool = False  # whether it was found with twice the digits of floats
    shares: Shares | None = None
    # What the runner wants back once the answer is accepted.
    trace: FaceOptimum | FaceVertex | None = None
