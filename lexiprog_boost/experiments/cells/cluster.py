"""Let joblib's workers be those of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from joblib import parallel_config


@contextmanager
def workers_at(address: str) -> Iterator[None]:
    """While inside, joblib sends its work to the cluster at ``address``; without one it stays.

    Parameters
    ----------
    address : str
        Of Dask's scheduler, such as "tcp://10.0.0.7:8786"; empty for none.

    Examples
    --------
    >>> from lexiprog_boost.experiments.cells.cluster import workers_at
    >>> with workers_at(""):
    ...     print("here")
    here
    """
    if not address:
        yield
        return
    if find_spec("distributed") is None:
        raise ImportError("--dask needs Dask: pip install 'lexiprog[dask]'")
    from distributed import Client

    with Client(address), parallel_config(backend="dask"):
        yield
