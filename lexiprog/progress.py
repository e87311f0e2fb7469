"""A progress bar for long work, silent unless asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(total: int | None, done: int, *, progress: bool) -> Iterator[Callable[[str], None]]:
    """A progress bar's update function, or one that does nothing."""
    if not progress:
        yield lambda _: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install 'lexiprog[notebooks]'.") from error
    with tqdm(total=total, initial=done, unit="problem") as shown:

        def tick(name: str) -> None:
            shown.set_postfix_str(name)
            shown.update()

        yield tick
