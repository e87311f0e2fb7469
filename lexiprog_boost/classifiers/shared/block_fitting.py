"""Weigh the members of a fitted ensemble on points that come in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks import DaskBlocks, dask_parts
from lexiprog_boost.checks.values import check_class_costs
from lexiprog_boost.classifiers.shared.calibration import Calibration, calibrate_by_blocks
from lexiprog_boost.margins import (
    Member,
    margin_matrix,
    offset_margins,
    pair_margins,
    probabilities,
)
from lexiprog_boost.margins.class_means import ClassMeanMargins, summed_margins
from lexiprog_boost.members.outputs import class_codes
from lexiprog_boost.weights import LexiWeights, lexicographic_weights

Block = tuple[Any, NDArray, Any]

# Outputs of so many bytes are kept in memory between passes where there is no cluster to do so.
KEPT = 2**30


@dataclass(frozen=True)
class BlockData:
    """Points, labels and weights in blocks.

    Attributes
    ----------
    blocks : DaskBlocks
        Of points, labels and weights.
    totals : ClassMeanMargins
        The classes with their masses and counts; of margins there are none.
    """

    blocks: DaskBlocks
    totals: ClassMeanMargins

    @property
    def classes(self) -> NDArray:
        """Sorted labels."""
        return self.totals.classes


def check_blocks(model: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> BlockData:
    """Check what `fit` is given in blocks, and count the classes in one pass over the labels."""
    if not model.prefit and reset:
        raise ValueError(
            f"{type(model).__name__} weighs members on blocks, but trains none on them: fit the "
            "members first, on a sample or by a library that can, and give prefit=True."
        )
    _check_features(model, X, reset=reset)
    blocks = DaskBlocks(dask_parts(X, y, sample_weight))
    return BlockData(blocks, blocks.total(_counted))


def check_block_points(model: Any, X: Any) -> None:
    """Whether the points have the features that the model knows."""
    _check_features(model, X, reset=False)


def _check_features(model: Any, X: Any, *, reset: bool) -> None:
    frame = hasattr(X, "columns")
    some = X._meta if frame else np.zeros((1, X.shape[1]))  # noqa: SLF001 - Dask's word for it
    validate_data(model, some, reset=reset, skip_check_array=True)


def weigh_by_blocks(
    model: Any, members: list[Member], data: BlockData, pool_weights: Floats
) -> tuple[LexiWeights, Calibration | None]:
    """Measure members on the blocks: weights and thresholds by the model's options, calibration.

    ``own`` are the weights that the ensemble gives its members itself.
    """
    classes, n_offsets = data.classes, len(data.classes) if model.class_offsets else 0
    measured = data.blocks.mapped(_measured, members, classes, model.margin, model.class_offsets)
    measured = _kept(measured, data, len(members) + n_offsets)
    pairs = model.margin == "pairs"
    costs = None
    if model.class_costs is not None:
        costs = check_class_costs(model.class_costs, classes, data.totals.weights)
    solution = lexicographic_weights(
        measured.mapped(_pairs, classes) if pairs else measured,
        class_costs=costs,
        margin_target=model.margin_target,
        weight_cap=model.weight_cap,
        tie_break=model.tie_break,
        pool_weights=np.append(pool_weights, np.zeros(n_offsets)),
        solver=model.solver,
    )
    if not (pairs and model.calibrate):
        return solution, None
    scores = measured.mapped(_scores, solution.alpha)
    unit = float(data.totals.weights.sum() / data.totals.counts.sum())
    return solution, calibrate_by_blocks(scores, classes, unit)


def _kept(measured: DaskBlocks, data: BlockData, n_columns: int) -> DaskBlocks:
    """What the members said, asked once if there is room for it."""
    size = 8 * int(data.totals.counts.sum()) * n_columns * len(data.classes)
    return measured.kept() if size <= KEPT or _has_cluster() else measured


def _has_cluster() -> bool:
    try:
        from distributed import default_client

        default_client()
    except (ImportError, ValueError):
        return False
    return True


def _counted(block: Block, _: int) -> ClassMeanMargins:
    _X, y, weights = block
    nothing = np.zeros((len(y), 1), dtype=np.int8)
    return summed_margins([(nothing, y) if weights is None else (nothing, y, weights)])


def _measured(
    block: Block,
    members: list[Member],
    classes: NDArray,
    rule: Any,
    offsets: bool,  # noqa: FBT001 - Dask hands arguments on by position
) -> Block:
    """Margins of a block; of the rule "pairs" the probabilities, of shape (rows, T, C)."""
    X, y, weights = block
    if rule != "pairs":
        margins = margin_matrix(members, X, y, rule=rule, classes=classes)
        if offsets:
            margins = np.column_stack([margins, offset_margins(y, classes, rule=rule)])
        return margins, y, weights
    outputs = np.stack([probabilities(member, X, classes) for member in members], axis=1)
    if offsets:
        constants = np.broadcast_to(np.eye(len(classes)), (len(y), len(classes), len(classes)))
        outputs = np.concatenate([outputs, constants], axis=1)
    return outputs, y, weights


def _pairs(block: Block, classes: NDArray) -> Block:
    outputs, y, weights = block
    pairs = pair_margins(outputs, class_codes(y, classes))
    return pairs.margins, y[pairs.points], None if weights is None else weights[pairs.points]


def _scores(block: Block, alpha: Floats) -> Block:
    outputs, y, weights = block
    return np.einsum("ntc,t->nc", outputs, alpha), y, weights
