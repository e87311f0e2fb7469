"""What a solver claims, before anybody has checked it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog.forms.standard_form import StandardForm
from lexiprog.status import Status

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ExactAnswer:
    """The same in rational numbers, keyed alike; arrays of fractions."""

    value: Fraction
    primal: dict[int, Any]
    dual: dict[int, Any]


@dataclass(frozen=True)
class Answer:
    """A status and, where there is one, a point with its multipliers.

    ``value``, ``primal`` and ``dual``, keyed by the ids of CVXPY's variables and constraints, are
    in the user's units; ``claimed``, ``bound``, ``x`` and ``z`` belong to ``form``, the problem in
    the equilibrated units in which it was solved and is judged.
    """

    status: Status
    said: str = ""  # the solver's own word, where it says more than the status
    value: float = np.nan  # in the problem's own sense
    claimed: float = np.nan  # in the minimising sense of the form
    x: Array | None = None
    z: Array | None = None
    bound: float | None = None
    iterations: int | None = None
    seconds: float = 0.0
    primal: dict[int, Any] = field(default_factory=dict)
    dual: dict[int, Any] = field(default_factory=dict)
    form: StandardForm | None = None
    exact: ExactAnswer | None = None
    # How much each held optimum may have changed the value, where the runner knows better.
    doubts: dict[str, float] = field(default_factory=dict)
    trace: Any = None  # what the runner wants back once the answer is accepted
