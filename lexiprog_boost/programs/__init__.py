"""The linear programs of LexiBoost and its relatives, each a `lexiprog.Program` to extend.

Notation: M is the n x T margin matrix, theta the margin target, w_i the weight of point i inside
its class, L_j the optimum of class j, m_j the weighted mean of M over class j. Facts F1 to F14,
which the package relies on, have their proofs in docs/facts.md; tests check each of them.
"""

from lexiprog import OptimalFace, optimal_face
from lexiprog_boost.programs.dual_lexiboost import dual_balance_program, dual_class_program
from lexiprog_boost.programs.inputs import Inputs, check_inputs
from lexiprog_boost.programs.lexiboost import game_program, lexiboost_program
from lexiprog_boost.programs.lp_boosting import (
    dual_lpadaboost_program,
    dual_lpboost_program,
    dual_lpuboost_program,
    lpadaboost_program,
    lpboost_program,
    lpuboost_program,
)
from lexiprog_boost.programs.tie_breaks import (
    closest_weights,
    leximax_deviations,
    smallest_norm,
)

# The name before the engine had one.
Face = OptimalFace

__all__ = [
    "Face",
    "Inputs",
    "OptimalFace",
    "check_inputs",
    "closest_weights",
    "dual_balance_program",
    "dual_class_program",
    "dual_lpadaboost_program",
    "dual_lpboost_program",
    "dual_lpuboost_program",
    "game_program",
    "lexiboost_program",
    "leximax_deviations",
    "lpadaboost_program",
    "lpboost_program",
    "lpuboost_program",
    "optimal_face",
    "smallest_norm",
]
