"""The linear programs of LexiBoost and its relatives, each a `lexiprog.Program` to extend.

Notation: M is the n x T margin matrix, theta the margin target, w_i the weight of point i inside
its class, L_j the optimum of class j, m_j the weighted mean of M over class j. These facts are
used throughout the package; tests prove each of them.

F1   If no margin exceeds theta, the hinge is active everywhere: L_j = theta - max_t m_jt, and Q is
     a game on the C x T matrix of class means.
F2   A vertex of that game has at most C non-zero weights: with two classes and hard votes the
     ensemble predicts like one member, the heavier one.
F3   Q' as printed forces D_i = d_j w_i: it has C variables, and its optimum is that of Q with chi
     free where no margin exceeds theta. It plays tug of war between classes only.
F4   P'_j as printed is not degenerate, but may give its own class no weight at all.
F5   theta < 1 makes the hinge real: points beyond theta stop pulling, and the exact duals weigh
     points of one class differently.
F6   Equal rows of M inside a class can be merged, weights summed; nothing changes.
F7   For theta < 1, P_j is quicker in dual form: T rows and box-bounded columns.
F8   Under a cap on alpha, F1 holds with the capped maximum in place of the maximum.
F9   A learner that is right on all its own training points makes every L_j zero and hides what
     could be balanced: margins on unseen points are the honest input.
F10  In Dual-LexiBoost the optima come from other members, so deviations may be negative. Every
     optimum of Q with chi free solves the paper's Q, whose chi is max(0, chi).
F11  After t rounds Q' weighs at most t classes, so the second member is a constant.
F12  Optimal weights are not unique. The one of smallest norm is, and makes the model independent
     of solver and reduction.
F13  Class offsets are members that always vote for one class: their weights are thresholds.
F14  Points that stay beyond theta lose nothing, and points that stay below lose linearly: Q needs a
     hinge only for the points in between, and which these are can be checked afterwards.
"""

from lexiprog import OptimalFace, optimal_face
from lexiprog_boost.programs.dual_balance import dual_balance_program
from lexiprog_boost.programs.dual_class import dual_class_program
from lexiprog_boost.programs.game import game_program
from lexiprog_boost.programs.inputs import Inputs, check_inputs
from lexiprog_boost.programs.lexiboost import lexiboost_program
from lexiprog_boost.programs.lpadaboost import dual_lpadaboost_program, lpadaboost_program
from lexiprog_boost.programs.lpboost import dual_lpboost_program, lpboost_program
from lexiprog_boost.programs.lpuboost import dual_lpuboost_program, lpuboost_program
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
