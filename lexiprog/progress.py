"""A progress bar for long work, silent unless asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Bar:
    """A bar that counts problems; behind it, how far the present one has come."""

    def __init__(self, shown: Any) -> None:
        self._shown = shown

    def __call__(self, name: str) -> None:
        """One more is done."""
        if self._shown is not None:
            self._shown.set_postfix_str(name)
            self._shown.update()

    def note(self, text: str) -> None:
        """Say how far the present problem has come."""
        if self._shown is not None:
            self._shown.set_postfix_str(text)


@contextmanager
def bar(total: int | None, done: int, *, progress: bool) -> Iterator[_Bar]:
    """A progress bar's update function, or one that does nothing."""
    if not progress:
        yield _Bar(None)
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install 'lexiprog[notebooks]'.") from error
    with tqdm(total=total, initial=done, unit="problem") as shown:
        yield _Bar(shown)
