"""Why there is no fair share, with the utilities that are to blame."""

from __future__ import annotations

from collections.abc import Iterable

from lexiprog.errors import LexiprogError
from lexiprog.status import Status

__all__ = ["NoFairShare"]

MOST_NAMES = 10


class NoFairShare(LexiprogError, RuntimeError):
    """Utilities that have no leximin point, or none that could be found.

    Attributes
    ----------
    status : Status
        Infeasible, unbounded, a limit, or a failure of the solver.
    members : tuple of int
        Positions of the utilities that can rise without limit; empty for other reasons.
    """

    def __init__(self, message: str, status: Status, members: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.members = tuple(int(member) for member in members)

    @classmethod
    def unlimited(cls, members: Iterable[int]) -> NoFairShare:
        """Of utilities that can rise together without limit."""
        listed = [str(member) for member in members]
        shown = ", ".join(listed[:MOST_NAMES])
        if len(listed) > MOST_NAMES:
            shown += f" and {len(listed) - MOST_NAMES} more"
        who = (
            f"utilities {shown} can rise together"
            if len(listed) > 1
            else f"utility {shown} can rise"
        )
        message = f"{who} without limit: bound them, or the columns that they are made of."
        return cls(message, Status.UNBOUNDED, map(int, listed))

    def __reduce__(self) -> tuple[type[NoFairShare], tuple[str, Status, tuple[int, ...]]]:
        return type(self), (str(self), self.status, self.members)
