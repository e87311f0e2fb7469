"""Weights of points that come in blocks: by class means, by counted rows, or by passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.blocks import Blocks, count_rows, weights_by_passes
from lexiprog_boost.checks.sample_weights import check_class_masses
from lexiprog_boost.checks.solver_choice import check_solver_names
from lexiprog_boost.checks.values import (
    check_class_costs,
    check_classes,
    check_margin_target,
    check_optima,
    check_weight_cap,
)
from lexiprog_boost.margins import ClassMeanMargins
from lexiprog_boost.margins.class_means import summed_margins
from lexiprog_boost.programs.inputs import Inputs
from lexiprog_boost.reductions import collapse, collapses
from lexiprog_boost.weights.forms import MANY_ROWS, WeightProblem
from lexiprog_boost.weights.record import LexiWeights
from lexiprog_boost.weights.ties import TieBreak, stage_names

Block = tuple[NDArray, NDArray, Any]


def weights_of_blocks(
    blocks: Blocks,
    ties: TieBreak,
    *,
    class_costs: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
    class_optima: Any = None,
    gap: float = 1e-6,
    max_passes: int = 100,
) -> LexiWeights:
    """Find the weights in as few passes as the margins allow.

    One pass where no margin exceeds the target, two for votes, else about ten.
    """
    target = check_margin_target(margin_target)
    means: ClassMeanMargins = blocks.total(_means)
    check_class_masses(means.weights, means.classes)
    classes = check_classes(means.classes)
    check_solver_names(ties.solver, stage_names(classes))
    costs = check_class_costs(class_costs, classes, means.weights)
    cap = check_weight_cap(weight_cap, means.totals.shape[1])
    if collapses(means, target):
        inputs = collapse(means, class_costs=costs, margin_target=target, weight_cap=cap)
        found = WeightProblem(inputs, class_optima, ties).by_class_means()
        return replace(found, passes=blocks.passes)
    rows = count_rows(blocks, classes)
    if rows is not None:
        used = np.flatnonzero(rows.weights)
        codes = rows.codes[used]
        inputs = Inputs(
            rows.margins[used].astype(np.float64), codes, classes,
            rows.weights[used] / means.weights[codes], costs, target, cap,
        )  # fmt: skip
        problem = WeightProblem(inputs, class_optima, ties)
        few = len(used) <= MANY_ROWS
        found = problem.in_full("merged rows") if few else problem.by_points_in_doubt()
        return replace(found, passes=blocks.passes)
    width = means.totals.shape[1]
    nothing = Inputs(
        np.zeros((0, width)), np.zeros(0, dtype=np.intp), classes, np.zeros(0), costs, target, cap
    )
    optima = None if class_optima is None else check_optima(class_optima, classes)
    search, choose = ties, None
    if ties.tolerance is not None:  # what is chosen may be worse: the best is found first
        search, choose = replace(ties, kind="smallest"), (ties.solve, ties.tolerance)
    best = weights_by_passes(
        blocks, means, nothing, search.solve, optima=optima, choose=choose, gap=gap,
        most=max_passes,
    )  # fmt: skip
    return LexiWeights(
        best.alpha, classes, best.optima, best.losses, best.chi, best.program, best.result,
        "passes", best.gap, blocks.passes,
    )  # fmt: skip


def _means(block: Block, _: int) -> ClassMeanMargins:
    return summed_margins([block])
