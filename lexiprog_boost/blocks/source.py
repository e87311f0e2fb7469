"""Where blocks of rows come from: memory maps, Parquet files, Dask, or any iterable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from importlib.util import find_spec
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

# Rows of a block that is cut out of an array or a file.
ROWS = 262_144

Block = tuple[Any, Any, Any]


class Blocks:
    """Blocks of margins, labels and weights (or None), which are read again for every pass.

    Use it where the margins of all points don't fit in memory; `in_blocks` makes it of what there
    is. A function is brought to the blocks, and what it finds in them is summed up.

    Parameters
    ----------
    read : callable () -> iterable of (margins, y, weights)
        Called for every pass.
    once : bool
        Whether there can be one pass only.

    Examples
    --------
    >>> from lexiprog_boost.blocks import Blocks
    >>> blocks = Blocks(lambda: iter([([[1]], ["a"], None), ([[0]], ["b"], None)]))
    >>> blocks.total(lambda block, number: number + len(block[1]))
    3
    """

    def __init__(self, read: Callable[[], Iterable[Block]], *, once: bool = False) -> None:
        self._read, self._once, self.passes = read, once, 0

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum by ``+`` of ``function(block, number, *arguments)`` over all blocks."""
        if self._once and self.passes:
            raise ValueError(
                "these blocks can be read once only, and class means don't suffice for this "
                "margin_target: give a list of blocks, or a function that returns them anew."
            )
        self.passes += 1
        parts = self._each(function, arguments)
        for first in parts:
            return reduce(add, parts, first)
        raise ValueError("there is no block of margins.")

    def mapped(self, function: Callable[..., Block], *arguments: Any) -> Blocks:
        """The blocks ``function(block, *arguments)``, made anew for every pass."""
        return Blocks(
            lambda: (
                function(_whole(block, rows=lambda X: X), *arguments) for block in self._read()
            )
        )

    def _each(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Any]:
        for number, block in enumerate(self._read()):
            yield function(_whole(block), number, *arguments)


class DaskBlocks(Blocks):
    """The same for delayed blocks, which stay with Dask's workers."""

    def __init__(self, parts: list[Any]) -> None:
        super().__init__(lambda: parts)
        self._parts = parts

    def mapped(self, function: Callable[..., Block], *arguments: Any) -> DaskBlocks:
        """The blocks ``function(block, *arguments)``, made by the workers when they are needed."""
        from dask.delayed import delayed

        shared, apply = delayed(arguments, traverse=False), delayed(_remade, pure=False)
        return DaskBlocks([(apply(function, shared, *part),) for part in self._parts])

    def kept(self) -> DaskBlocks:
        """The same blocks, made now and kept by the workers."""
        from dask.base import persist

        return DaskBlocks(list(persist(*self._parts)))

    def _each(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Any]:
        from dask.base import compute
        from dask.delayed import delayed

        shared, apply = delayed(arguments, traverse=False), delayed(_applied, pure=False)
        tasks = [apply(function, shared, number, *part) for number, part in enumerate(self._read())]
        yield from compute(*tasks)


def _applied(
    function: Callable[..., Any], arguments: tuple[Any, ...], number: int, *block: Any
) -> Any:
    return function(_whole(block), number, *arguments)


def _remade(function: Callable[..., Block], arguments: tuple[Any, ...], *block: Any) -> Block:
    return function(_whole(block, rows=lambda X: X), *arguments)


def _whole(block: Any, rows: Callable[[Any], Any] = np.asarray) -> Block:
    """A block as three parts; one that was made by a function comes as one."""
    margins, y, *weights = block[0] if len(block) == 1 else block
    block_weights = None if not weights or weights[0] is None else np.asarray(weights[0])
    return rows(margins), np.asarray(y), block_weights


def in_blocks(margins: Any, y: Any, sample_weight: Any = None) -> Blocks | None:
    """The blocks that `margins` come in; None for an array that is in memory as a whole.

    Parameters
    ----------
    margins : Dask array or data frame, memory map, Parquet file or folder, iterable, callable
        An iterable is of blocks (margins, y) or (margins, y, weights); a callable returns one.
    y, sample_weight : array-like, Dask array, name of a column, or None
        Of a Parquet file the names of their columns; all others are margins.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.blocks import in_blocks
    >>> in_blocks(np.ones((3, 2)), [0, 1, 1]) is None
    True
    >>> in_blocks([(np.ones((3, 2)), [0, 1, 1])], None).total(lambda block, _: len(block[1]))
    3
    """
    if isinstance(margins, Blocks):
        return margins
    if is_dask(margins):
        return DaskBlocks(dask_parts(margins, y, sample_weight))
    if isinstance(margins, str | Path):
        return Blocks(lambda: _parquet(Path(margins), y, sample_weight))
    if callable(margins):
        return Blocks(margins)
    if isinstance(margins, np.memmap):
        return Blocks(lambda: _slices(margins, y, sample_weight))
    if y is None and isinstance(margins, Iterator):
        return Blocks(lambda: margins, once=True)
    if y is None and isinstance(margins, Iterable) and not hasattr(margins, "shape"):
        return Blocks(lambda: margins)
    return None


def is_dask(values: Any) -> bool:
    """Whether it is a collection of Dask's."""
    return hasattr(values, "__dask_graph__") and hasattr(values, "to_delayed")


def _slices(margins: Any, y: Any, weights: Any) -> Iterator[Block]:
    labels = np.asarray(y)
    if len(labels) != len(margins):
        raise ValueError(f"there are {len(margins)} rows of margins but {len(labels)} labels in y.")
    for start in range(0, len(margins), ROWS):
        rows = slice(start, start + ROWS)
        yield margins[rows], labels[rows], None if weights is None else weights[rows]


def _parquet(path: Path, y: Any, weights: Any) -> Iterator[Block]:
    if find_spec("pyarrow") is None:
        raise ImportError("Parquet files need pyarrow: pip install 'lexiprog[dask]'")
    from pyarrow import dataset

    if not isinstance(y, str):
        raise TypeError(f"for a Parquet file y is the name of the labels' column, not {y!r}.")
    data = dataset.dataset(path)
    names = [name for name in data.schema.names if name not in (y, weights)]
    for batch in data.to_batches(batch_size=ROWS):
        table = batch.to_pandas()
        if len(table):
            block_weights = None if weights is None else table[weights].to_numpy()
            yield table[names].to_numpy(), table[y].to_numpy(), block_weights


def dask_parts(points: Any, y: Any, weights: Any) -> list[Block]:
    """Delayed blocks of rows, labels and weights cut alike; those of a data frame are frames."""
    frame = not hasattr(points, "numblocks")
    if not frame and points.ndim == 2 and points.numblocks[1] > 1:
        points = points.rechunk({1: -1})
    rows = points.to_delayed() if frame else points.to_delayed()[:, 0]
    sizes = None if frame or np.isnan(points.shape[0]) else points.chunks[0]
    if sizes is None and any(v is not None and not is_dask(v) for v in (y, weights)):
        sizes = tuple(int(size) for size in points.map_partitions(len).compute())
    columns = [_cut_alike(values, len(rows), sizes) for values in (y, weights)]
    if any(len(column) != len(rows) for column in columns):
        raise ValueError("the rows, y and sample_weight come in different numbers of blocks.")
    return list(zip(rows, *columns, strict=True))


def _cut_alike(values: Any, n_blocks: int, sizes: tuple[int, ...] | None) -> list[Any]:
    """Labels or weights in blocks of these sizes, as far as sizes are known."""
    if values is None:
        return [None] * n_blocks
    if sizes is not None and not is_dask(values):
        return np.split(np.asarray(values), np.cumsum(sizes)[:-1])
    if hasattr(values, "numblocks") and sizes is not None and values.chunks[0] != sizes:
        values = values.rechunk((sizes,))
    return list(np.ravel(values.to_delayed()))
