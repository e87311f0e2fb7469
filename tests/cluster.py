"""Two worker processes of Dask, for the tests that need them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# Dask's own noise, each with its reason; everything else stays an error.
NOISE = [
    # A port in use is no concern of ours: the dashboard is off, and the check warns all the same.
    pytest.mark.filterwarnings("ignore:Port .* is already in use:UserWarning"),
    # The cluster's event loop is closed by the interpreter's collector, in its own time.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@contextmanager
def two_workers() -> Iterator[Any]:
    """A client of two workers with one thread each; skipped with the reason without Dask."""
    distributed = pytest.importorskip("distributed", reason="needs the extra lexiprog[dask]")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        memory_limit=0, silence_logs=logging.CRITICAL,
    )  # fmt: skip
    try:
        with distributed.Client(cluster) as client:
            yield client
    finally:
        cluster.close()
