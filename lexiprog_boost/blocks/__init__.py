"""Margins that come in blocks: class means, counted rows, hinge programs by passes."""

from lexiprog_boost.blocks.counted import CountedRows, count_rows
from lexiprog_boost.blocks.passes import Found, weights_by_passes
from lexiprog_boost.blocks.source import Blocks, in_blocks

__all__ = ["Blocks", "CountedRows", "Found", "count_rows", "in_blocks", "weights_by_passes"]
