"""The words for what became of a problem, the same everywhere."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What is known of a subproblem after a try; equal to its text.

    Compare with it, or with its text, to tell what became of a level.

    Examples
    --------
    >>> import lexiprog as lx
    >>> lx.Status.OPTIMAL == "optimal", lx.Status.UNBOUNDED.is_unbounded
    (True, True)
    """

    OPTIMAL = "optimal"  # proved to the stated tolerance
    LOCAL = "local"  # meets first-order conditions; a better point may lie elsewhere
    WITHIN_GAP = "within_gap"  # an integer point whose gap the user accepts
    UNFINISHED = "unfinished"  # the incumbent of a search that was stopped, to go on from
    INACCURATE = "optimal_inaccurate"  # what it rests on is not known well enough
    INFEASIBLE = "infeasible"
    INFEASIBLE_INACCURATE = "infeasible_inaccurate"
    UNBOUNDED = "unbounded"
    UNBOUNDED_INACCURATE = "unbounded_inaccurate"
    EITHER = "infeasible_or_unbounded"
    LIMIT = "user_limit"  # a limit was met with a point at hand
    NO_POINT = "no_point_at_limit"
    NO_ANSWER = "no_answer"
    FAILED = "solver_error"

    @classmethod
    def of(cls, text: object) -> Status:
        """The status that a solver's interface calls ``text``; its failure if nobody knows it."""
        try:
            return cls(str(text))
        except ValueError:
            return cls.FAILED

    @property
    def has_point(self) -> bool:
        """Whether a solver that says so returns a point."""
        return self in (Status.OPTIMAL, Status.INACCURATE, Status.LIMIT, Status.WITHIN_GAP)

    @property
    def is_infeasible(self) -> bool:
        """Whether no point satisfies the constraints, as far as the solver can tell."""
        return self in (Status.INFEASIBLE, Status.INFEASIBLE_INACCURATE)

    @property
    def is_unbounded(self) -> bool:
        """Whether the objective improves without limit, as far as the solver can tell."""
        return self in (Status.UNBOUNDED, Status.UNBOUNDED_INACCURATE)

    @property
    def is_limit(self) -> bool:
        """Whether time or iterations ran out."""
        return self in (Status.LIMIT, Status.NO_POINT)

    def __repr__(self) -> str:
        return repr(str(self))


class Fault(StrEnum):
    """Why a try was not accepted, beyond its status; empty if the status says it all."""

    NONE = ""
    NOT_TAKEN = "the solver does not take problems of this class"
    BROKEN = "the solver or its interface raised an error"
    NO_NUMBERS = "its point is incomplete or not finite"
    UNPROVED = "its certificate failed"
    GAP = "its certificate failed by the gap alone"
    LOCK_MISSED = "an optimum that it should hold is missed"
    UNCLEAR = "which points are optimal for one that it holds is not clear"
