"""From margins, in memory or in blocks, to weights: choose a form, solve it, settle ties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks import Blocks, count_rows, in_blocks, weights_by_passes
from lexiprog_boost.checks.points import check_class_masses
from lexiprog_boost.checks.values import (
    check_class_costs,
    check_classes,
    check_margin_target,
    check_optima,
    check_solver_names,
    check_weight_cap,
)
from lexiprog_boost.margins import ClassMeanMargins, class_mean_margins
from lexiprog_boost.margins.class_means import summed_margins
from lexiprog_boost.programs.inputs import Inputs, check_inputs
from lexiprog_boost.reductions import (
    class_optima as closed_form_optima,
)
from lexiprog_boost.reductions import collapse, collapses, compress_rows
from lexiprog_boost.weights.forms import (
    MANY_ROWS,
    LexiWeights,
    TieBreak,
    WeightProblem,
    check_tie_break,
    stage_names,
)

# Weights of points that come in blocks: by class means, by counted rows, or by passes.

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
        solution = WeightProblem(inputs, class_optima, ties).by_class_means()
        return replace(solution, passes=blocks.passes)
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
        solution = problem.in_full("merged rows") if few else problem.by_points_in_doubt()
        return replace(solution, passes=blocks.passes)
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


def lexicographic_weights(
    margins: Any,
    y: Any = None,
    *,
    class_costs: Any = None,
    sample_weight: Any = None,
    margin_target: float = 1.0,
    weight_cap: float | None = None,
    class_optima: Any = None,
    tie_break: Any = "smallest",
    pool_weights: Any = None,
    reduce: Any = "auto",
    solver: Any = None,
    gap: float = 1e-6,
    max_passes: int = 100,
) -> LexiWeights:
    """Solve LexiBoost's programs and return the optimal weights that the tie-break chooses.

    Use it to weigh members of your own, from their margins; `LexiEnsembleClassifier` does it for
    ensembles that scikit-learn can fit.

    Parameters
    ----------
    margins : array-like of shape (n, T), ClassMeanMargins, or blocks
        The margin matrix, or its class means where no margin exceeds the target. What does not
        fit in memory comes in blocks: a Dask array or data frame, a memory map, the path of a
        Parquet file or folder, an iterable of (margins, y) or (margins, y, weights), or a function
        that returns one. Blocks are read once where no margin exceeds the target, twice if
        there are few different rows (votes), and else some ten times; what is kept in memory does
        not depend on n.
    y : array-like of shape (n,), Dask array or name of a column, optional
        Labels; not needed with class means and with an iterable of blocks.
    class_costs : mapping or sequence, optional
        What a unit of each class's deviation costs, by label or in the order of the sorted labels;
        1 each by default.
    sample_weight : array-like of shape (n,), optional
        Weights of the points inside their classes; w_i is their share of the class.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.
    class_optima : mapping or sequence, optional
        L_j to deviate from; by default they are solved for.
    tie_break : {"smallest", "leximax", "closest"} or ("closest", tolerance)
        Which of the optimal weights: those of smallest norm; those whose second largest deviation
        is least, and so on; or those nearest to the pool's own that give up 0.01 (or `tolerance`)
        of the deviation.
    pool_weights : array-like of shape (T,), optional
        The pool's own weights; needed by "closest".
    reduce : {"auto", False}
        Use exact reductions, or solve the full programs; the optimum and the weights are the same.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "classes", "balance", "weights" or a
        subproblem, whether or not a reduction makes it unnecessary.
    gap, max_passes : float, int
        For blocks that are read again and again: how far chi and the class optima may stay from
        the true ones, as a share of them, and after how many passes that is an error.

    Returns
    -------
    LexiWeights

    Examples
    --------
    The first member serves the many, the second the rare:

    >>> from lexiprog_boost.weights import lexicographic_weights
    >>> margins = [[1, -1], [1, -1], [1, 1], [-1, 1], [-1, 1]]
    >>> found = lexicographic_weights(margins, ["many"] * 3 + ["rare"] * 2)
    >>> found.alpha.round(6).tolist(), round(found.chi, 6), found.reduction
    ([0.4, 0.6], 0.8, 'class means')

    The same from two blocks, which are read once:

    >>> blocks = [(margins[:2], ["many"] * 2), (margins[2:], ["many"] + ["rare"] * 2)]
    >>> found = lexicographic_weights(blocks)
    >>> found.alpha.round(6).tolist(), found.passes
    ([0.4, 0.6], 1)
    """
    if not (reduce == "auto" or reduce is False):
        raise ValueError(f"reduce is {reduce!r}; it is 'auto' or False.")
    check_tie_break(tie_break, pool_weights)
    ties = TieBreak(tie_break, pool_weights, solver)
    options = {
        "class_costs": class_costs, "margin_target": margin_target, "weight_cap": weight_cap
    }  # fmt: skip
    means = margins if isinstance(margins, ClassMeanMargins) else None
    blocks = None if means is not None else in_blocks(margins, y, sample_weight)
    if blocks is not None:
        return weights_of_blocks(
            blocks, ties, class_optima=class_optima, gap=gap, max_passes=max_passes, **options
        )
    if means is None and reduce == "auto":
        means = class_mean_margins([(margins, y, _given(sample_weight, y))])
    if means is not None and (collapses(means, margin_target) or margins is means):
        inputs = collapse(means, **options)
        check_solver_names(solver, stage_names(inputs.classes))
        return WeightProblem(inputs, class_optima, ties).by_class_means()
    inputs = check_inputs(margins, y, sample_weight=sample_weight, **options)
    check_solver_names(solver, stage_names(inputs.classes))
    if reduce is False:
        return WeightProblem(inputs, class_optima, ties).in_full("none")
    merged = compress_rows(inputs).inputs
    problem = WeightProblem(merged, class_optima, ties)
    if len(merged.codes) <= MANY_ROWS:
        return problem.in_full("merged rows")
    return problem.by_points_in_doubt()


def least_class_losses(
    margins: Any, y: Any, *, sample_weight: Any = None, margin_target: float = 1.0,
    weight_cap: float | None = None, solver: Any = None,
) -> Floats:  # fmt: skip
    """Return every L_j alone, the least mean loss that any weights give to class j.

    Use it to see what the members could do for each class by itself; Dual-LexiBoost deviates from
    the L_j of its first loop.

    Parameters
    ----------
    margins : array-like of shape (n, T)
        Margin of every member on every point.
    y : array-like of shape (n,)
        Labels of two classes or more.
    sample_weight : array-like of shape (n,), optional
        Weights of the points inside their classes; w_i is their share of the class.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "classes", "balance", "weights" or a
        subproblem, whether or not a reduction makes it unnecessary.

    Returns
    -------
    ndarray of shape (C,)

    Examples
    --------
    The first member is right on half of class a, and on none of b:

    >>> from lexiprog_boost.weights import least_class_losses
    >>> least_class_losses([[1, -1], [0, 1], [-1, 0]], ["a", "a", "b"]).tolist()
    [0.5, 1.0]
    """
    means = class_mean_margins([(margins, y, _given(sample_weight, y))])
    if collapses(means, margin_target):
        form = collapse(means, margin_target=margin_target, weight_cap=weight_cap)
        return closed_form_optima(form)
    inputs = check_inputs(
        margins, y, sample_weight=sample_weight, margin_target=margin_target, weight_cap=weight_cap
    )
    ties = TieBreak("smallest", None, solver)
    return WeightProblem(compress_rows(inputs).inputs, None, ties).optima_by_dual()


def _given(sample_weight: Any, y: Any) -> Any:
    return np.ones(len(y)) if sample_weight is None else sample_weight
