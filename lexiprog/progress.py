"""How far long work has come: records of it, and a bar that is silent unless asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from lexiprog.errors import visible


@dataclass(frozen=True)
class Progress:
    """Where the search for the optimum of an integer level stands.

    What ``on_progress`` receives; if that returns something true, the best point so far is taken.

    Attributes
    ----------
    stage, subproblem, solver : str
        What is solved, and by whom.
    seconds : float
        Spent on it so far.
    incumbent, bound : float or None
        The value of the best point found and what none is better than, in the sense and units of
        the objective; None as long as there is none.
    gap : float or None
        Their distance over the size of the incumbent; None as long as one of them is missing.
    finished : bool
        Whether this is the level's result.

    Examples
    --------
    >>> import lexiprog as lx
    >>> record = lx.Progress("stage", "cost", "HIGHS", 1.5, incumbent=40.0, bound=38.0)
    >>> record.gap
    0.05
    >>> print(record)
    cost: 40, bound 38, gap 5 %
    """

    stage: str
    subproblem: str
    solver: str
    seconds: float
    incumbent: float | None = None
    bound: float | None = None
    finished: bool = False

    @property
    def gap(self) -> float | None:
        """Distance of incumbent and bound over the size of the incumbent."""
        if self.incumbent is None or self.bound is None:
            return None
        distance = abs(self.incumbent - self.bound)
        return distance / abs(self.incumbent) if self.incumbent else (distance and float("inf"))

    def __str__(self) -> str:
        value = "no point yet" if self.incumbent is None else f"{self.incumbent:.6g}"
        bound = "" if self.bound is None else f", bound {self.bound:.6g}"
        gap = "" if self.gap is None else f", gap {100 * self.gap:.3g} %"
        return visible(f"{self.subproblem}: {value}{bound}{gap}", lines=False)


class _Shown(Protocol):
    """What of tqdm's bars is used here."""

    def set_postfix_str(self, s: str) -> object: ...
    def update(self) -> object: ...


class _Bar:
    """A bar that counts problems; behind it, how the search for the present one goes."""

    def __init__(self, shown: _Shown | None) -> None:
        self._shown = shown

    def __call__(self, name: str) -> None:
        """One more is done."""
        if self._shown is not None:
            self._shown.set_postfix_str(visible(name))
            self._shown.update()

    def note(self, text: str) -> None:
        """Say how far the present problem has come."""
        if self._shown is not None:
            self._shown.set_postfix_str(visible(text))

    def tell(self, record: Progress) -> None:
        """Show where a search stands."""
        self.note(str(record))


@contextmanager
def bar(total: int | None, done: int, *, progress: bool = True) -> Iterator[_Bar]:
    """A progress bar's update function, or one that does nothing."""
    if not progress:
        yield _Bar(None)
        return
    try:
        with warnings.catch_warnings():
            # In a notebook without ipywidgets it draws with letters, and says so.
            warnings.filterwarnings("ignore", message="IProgress not found")
            from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install 'lexiprog[notebooks]'.") from error
    with tqdm(total=total, initial=done, unit="problem") as shown:
        yield _Bar(shown)


def listener(
    shown: _Bar, on_progress: Callable[[Progress], object] | None
) -> Callable[[Progress], object]:
    """Who hears of integer levels as they move: the bar, and the user's function if any."""
    if on_progress is None:
        return shown.tell

    def tell(record: Progress) -> object:
        shown.tell(record)
        return on_progress(record)

    return tell
