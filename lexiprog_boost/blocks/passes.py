"""LexiBoost's hinge programs by passes over the blocks; memory does not depend on the points.

The first pass knows the class means, the second draws a sample; then all P_j are searched together,
one pass a round, and Q after them. A search ends when its gap is as small as was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks.cutting_planes import HingeSearch, Solve, sampled_weights
from lexiprog_boost.blocks.oracle import Drawn, Evaluations, Points, evaluate, sample
from lexiprog_boost.blocks.source import Blocks
from lexiprog_boost.margins import ClassMeanMargins
from lexiprog_boost.programs.inputs import Inputs

# Points of each class that are drawn to begin with.
DRAWN = 20_000
# So little more than it may be is rounding.
ROUNDING = 1e-7


@dataclass(frozen=True)
class PassWeights:
    """Weights, and how well they are known.

    Attributes
    ----------
    alpha : ndarray of shape (T,)
    optima, losses : ndarray of shape (C,)
        The least loss of each class, and its loss at the weights.
    chi : float
        The worst costed deviation at the weights.
    gap : float
        How far the optima and chi may be from the true ones, as a share of their size.
    program, result : Program, Result
        The last model and its certified optimum, which bounds chi from below.
    """

    alpha: Floats
    optima: Floats
    losses: Floats
    chi: float
    gap: float
    program: lx.Program
    result: lx.Result


def weights_by_passes(
    blocks: Blocks,
    means: ClassMeanMargins,
    inputs: Inputs,
    solve: Solve,
    *,
    optima: Floats | None = None,
    choose: tuple[Solve, float] | None = None,
    gap: float = 1e-6,
    most: int = 100,
    seed: int = 0,
) -> PassWeights:
    """P_j and Q of all blocks, to a stated gap.

    Parameters
    ----------
    blocks : Blocks
        Read once a pass.
    means : ClassMeanMargins
        Of these blocks.
    inputs : Inputs
        Of no points: classes, costs, target and cap.
    solve : callable
        Solves a program of Q and settles ties.
    optima : ndarray, optional
        The L_j, if they are known.
    choose : pair of callable and float, optional
        Chooses weights that may be worse than the best by so much.
    gap : float
        How far from the optimum, as a share of it, values may be.
    most : int
        Passes after which to give up.
    seed : int
        Draws the sample; it has no influence on the optimum.
    """
    points = Points(means.classes, means.weights, means.counts, inputs.target)
    drawn: Drawn = blocks.total(sample, points, DRAWN, seed)
    begun = _normalised_sample(inputs, drawn)
    every = np.arange(len(means.classes))
    off = 0.0
    if optima is None:
        searches = [_class_search(points, inputs, drawn, begun, j) for j in range(len(every))]
        _run(blocks, points, searches, gap, most)
        optima = np.array([search.upper for search in searches])
        off = max(search.upper - search.lower for search in searches)
    start = sampled_weights(begun, optima, solve)
    balance = HingeSearch(points, every, inputs, optima, solve, drawn, start)
    _run(blocks, points, [balance], gap, most)
    if choose is not None:
        _choose(blocks, points, balance, *choose, most)
    program, result = balance.last
    return PassWeights(
        alpha=balance.alpha,
        optima=optima,
        losses=balance.losses,
        chi=balance.upper,
        gap=balance.gap + off * float(inputs.costs.max()) / max(abs(balance.upper), 1e-3),
        program=program,
        result=result,
    )


def _class_search(
    points: Points, inputs: Inputs, drawn: Drawn, begun: Inputs, j: int
) -> HingeSearch:
    """P_j: the deviation from zero of one class by itself."""
    mine = begun.codes == j
    inputs_j = replace(inputs, classes=inputs.classes[[j]], costs=np.ones(1))
    rows = replace(
        inputs_j,
        margins=begun.margins[mine],
        codes=np.zeros(int(mine.sum()), dtype=np.intp),
        weights=begun.weights[mine],
    )
    some = drawn.codes == j
    kept = Drawn(drawn.margins[some], drawn.codes[some], drawn.weights[some])
    alone = rows.weights @ np.maximum(rows.target - rows.margins, 0.0)
    if alone.min() <= 0 and inputs.cap is None:  # a member that never errs, such as an offset
        start = np.eye(len(alone))[int(np.argmin(alone))]
    else:
        start = sampled_weights(rows, np.zeros(1), _plain)
    return HingeSearch(points, np.array([j]), inputs_j, np.zeros(1), _plain, kept, start)


def _plain(program: lx.Program) -> tuple[lx.Program, lx.Result]:
    return program, program.solve()


def _run(
    blocks: Blocks, points: Points, searches: Sequence[HingeSearch], gap: float, most: int
) -> None:
    """Pass after pass until every gap is small enough."""
    while open_ := [search for search in searches if not search.gap <= gap]:
        if blocks.passes >= most:
            worst = max(search.gap for search in open_)
            raise lx.LexiprogError(
                f"after {blocks.passes} passes the gap is {worst:.1e}, not {gap:.1e}: allow more "
                "passes (max_passes=), or accept a larger gap (gap=)."
            )
        seen: Evaluations = blocks.total(evaluate, points, [search.trial() for search in open_])
        for search, evaluation in zip(open_, seen, strict=True):
            search.learn(evaluation, gap)


def _choose(
    blocks: Blocks, points: Points, search: HingeSearch, solve: Solve, allowed: float, most: int
) -> None:
    """Pass after pass until the chosen weights are as good as the model says."""
    search.solve, search.next = solve, search.alpha
    limit, chosen = search.upper + allowed, False
    while True:
        if blocks.passes >= most:
            raise lx.LexiprogError(
                f"after {blocks.passes} passes the weights that the tie-break chooses are not "
                "settled: allow more passes (max_passes=), or choose by 'smallest'."
            )
        seen: Evaluations = blocks.total(evaluate, points, [search.trial()])
        if chosen and search.value(seen[0].losses) <= limit + ROUNDING:
            search.alpha, search.losses = search.next, seen[0].losses
            return
        search.learn(seen[0], -1.0)
        chosen = True


def _normalised_sample(inputs: Inputs, drawn: Drawn) -> Inputs:
    mass = np.bincount(drawn.codes, drawn.weights, minlength=len(inputs.classes))
    weights = drawn.weights / mass[drawn.codes]
    return replace(inputs, margins=drawn.margins, codes=drawn.codes, weights=weights)
