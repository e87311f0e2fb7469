"""Smaller programs with the same optima: pure functions from inputs to inputs or programs."""

from lexiprog_boost.reductions.class_mean_form import (
    capped_maximum,
    class_optima,
    class_weight_program,
    collapse,
    collapses,
    spread_class_weights,
)
from lexiprog_boost.reductions.dual_forms import class_optimum_by_dual
from lexiprog_boost.reductions.merged_rows import Compressed, compress_rows
from lexiprog_boost.reductions.screening import Screened, solve_screened

__all__ = [
    "Compressed",
    "Screened",
    "capped_maximum",
    "class_optima",
    "class_optimum_by_dual",
    "class_weight_program",
    "collapse",
    "collapses",
    "compress_rows",
    "solve_screened",
    "spread_class_weights",
]
