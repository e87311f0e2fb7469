"""Margins that come in blocks: class means, counted rows, hinge programs by passes."""

from lexiprog_boost.blocks.counted import CountedRows, count_rows
from lexiprog_boost.blocks.passes import PassWeights, weights_by_passes
from lexiprog_boost.blocks.source import Blocks, DaskBlocks, dask_parts, in_blocks, is_dask

__all__ = [
    "Blocks",
    "CountedRows",
    "DaskBlocks",
    "PassWeights",
    "count_rows",
    "dask_parts",
    "in_blocks",
    "is_dask",
    "weights_by_passes",
]
