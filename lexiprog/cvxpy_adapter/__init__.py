"""The one adapter to CVXPY's internals: compile a problem, run its solver, read the answer back."""

import cvxpy

from lexiprog.cvxpy_adapter.affine import AffineMatrix, DenseAffine
from lexiprog.cvxpy_adapter.canonicalise import AffineCanonicaliser, AffineRows
from lexiprog.cvxpy_adapter.invoke import run, solve_at_once
from lexiprog.cvxpy_adapter.numbers import Compiled, IndexRange, Maps, Reader
from lexiprog.cvxpy_adapter.prepare import CvxpyMismatch, Prepared, check_version
from lexiprog.cvxpy_adapter.read_back import (
    answer_at,
    columns_of,
    dual_arrays,
    exact_parts,
    interpret,
)
from lexiprog.cvxpy_adapter.slopes import Entries, FormSlopes, tensor_slopes

check_version(cvxpy.__version__)

__all__ = [
    "AffineCanonicaliser",
    "AffineMatrix",
    "AffineRows",
    "Compiled",
    "CvxpyMismatch",
    "DenseAffine",
    "Entries",
    "FormSlopes",
    "IndexRange",
    "Maps",
    "Prepared",
    "Reader",
    "answer_at",
    "check_version",
    "columns_of",
    "dual_arrays",
    "exact_parts",
    "interpret",
    "run",
    "solve_at_once",
    "tensor_slopes",
]
