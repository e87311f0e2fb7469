"""The one door to CVXPY's internals: compile a problem, run its solver, read the answer back."""

import cvxpy

from lexiprog.compile.cvxpy_door.answers import (
    answer_at,
    dual_arrays,
    exact_parts,
    interpret,
)
from lexiprog.compile.cvxpy_door.columns import columns_of
from lexiprog.compile.cvxpy_door.numbers import Compiled, Maps
from lexiprog.compile.cvxpy_door.prepared import Prepared
from lexiprog.compile.cvxpy_door.running import run
from lexiprog.compile.cvxpy_door.slopes import Entries, FormSlopes, tensor_slopes
from lexiprog.compile.cvxpy_door.straight import Straight
from lexiprog.compile.cvxpy_door.version import CvxpyMismatch, check_version

check_version(cvxpy.__version__)

__all__ = [
    "Compiled",
    "CvxpyMismatch",
    "Entries",
    "FormSlopes",
    "Maps",
    "Prepared",
    "Straight",
    "answer_at",
    "check_version",
    "columns_of",
    "dual_arrays",
    "exact_parts",
    "interpret",
    "run",
    "tensor_slopes",
]
