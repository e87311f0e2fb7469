"""Ordered floors and aims for classes: what can be promised, and the rule that keeps it."""

from lexiprog_boost.thresholds.fit import Fitted, fit_rule
from lexiprog_boost.thresholds.floors import Floor
from lexiprog_boost.thresholds.program import priorities_program
from lexiprog_boost.thresholds.promises import ClassPriority, read_priorities
from lexiprog_boost.thresholds.rules import DecisionRule, ScoredPoints

__all__ = [
    "ClassPriority",
    "DecisionRule",
    "Fitted",
    "Floor",
    "ScoredPoints",
    "fit_rule",
    "priorities_program",
    "read_priorities",
]
