"""Committees by approval: the lexicographic rules of the package abcvoting.

Each is one leximin or leximax over integers here, proved level by level, and needs no Gurobi.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import cvxpy as cp
import numpy as np

from lexiprog.contrib import package
from lexiprog.errors import DeclarationError, StageError, did_you_mean
from lexiprog.formulations.fairness import leximax, leximin
from lexiprog.program import Program
from lexiprog.status import Status
from lexiprog.tolerances import TIED_LEVELS
from lexiprog.typing import Constraint

if TYPE_CHECKING:
    from abcvoting.misc import CandidateSet
    from abcvoting.preferences import Profile

__all__ = ["lexicographic_committees"]


def lexicographic_committees(
    rule: str,
    profile: Profile,
    committeesize: int,
    *,
    resolute: bool = False,
    max_num_of_committees: int | None = None,
) -> list[CandidateSet]:
    """The committees that win by a lexicographic rule.

    For profiles of abcvoting that its brute force is too slow for, where Gurobi is not at hand, or
    where all tied winners are wanted with a proof.

    Parameters
    ----------
    rule : str
        "lexcc": most voters with an approved member, then with two, and so on. "lexminimaxav":
        the voter who is farthest from the committee as near as can be, then the next.
        "leximaxphragmen": members' loads are shared by those who approve of them; the largest
        load of a voter as small as can be, then the next.
    profile : abcvoting.preferences.Profile
    committeesize : int
    resolute : bool
        Find one winning committee, not all that are tied.
    max_num_of_committees : int, optional
        Find so many at most.

    Returns
    -------
    list of abcvoting.misc.CandidateSet
        As the functions of that package return them.

    Examples
    --------
    Two seats; either the first or the second candidate goes with the last.

    >>> from abcvoting.preferences import Profile
    >>> from lexiprog.contrib.abcvoting import lexicographic_committees
    >>> profile = Profile(4)
    >>> profile.add_voters([[0, 1, 3], [0, 1], [0, 1], [0, 3], [2, 3]])
    >>> lexicographic_committees("leximaxphragmen", profile, 2)
    [CandidateSet({0, 3}), CandidateSet({1, 3})]
    """
    misc = package("abcvoting.misc", "abcvoting")
    if rule not in _RULES:
        raise DeclarationError(
            f"{rule!r} is no lexicographic rule; there are {', '.join(_RULES)}."
            f"{did_you_mean(rule, _RULES)}"
        )
    most = 1 if resolute else max_num_of_committees
    chosen = cp.Variable(profile.num_cand, boolean=True, name="chosen")
    rules: list[Constraint] = [cp.sum(chosen) == committeesize]
    committees: list[CandidateSet] = []
    best = None
    while most is None or len(committees) < most:
        try:
            found = _RULES[rule](profile, chosen, rules).solve().final
        except StageError as error:
            if not (committees and Status.of(error.status).is_infeasible):
                raise
            break
        order = np.repeat(
            [value for value, _ in found.levels], [len(names) for _, names in found.levels]
        )
        best = order if best is None else best
        if np.max(np.abs(order - best)) > TIED_LEVELS:
            break
        members = np.flatnonzero(np.rint(found[chosen])).tolist()
        committees.append(misc.CandidateSet(members, num_cand=profile.num_cand))
        rules.append(cp.sum(chosen[members]) <= committeesize - 1)
    return sorted(committees, key=sorted)


def _approved(profile: Profile) -> list[list[int]]:
    """Who each voter approves of; a voter of weight two is two voters."""
    listed = []
    for voter in profile:
        if voter.weight != int(voter.weight):
            raise DeclarationError(
                f"a voter has the weight {voter.weight}: lexicographic rules count voters, so "
                "weights are whole numbers."
            )
        listed += [sorted(voter.approved)] * int(voter.weight)
    return listed


def _represented(profile: Profile, chosen: cp.Variable, rules: Sequence[Constraint]) -> Program:
    return leximin([cp.sum(chosen[voter]) for voter in _approved(profile) if voter], rules)


def _distances(profile: Profile, chosen: cp.Variable, rules: Sequence[Constraint]) -> Program:
    """How many are approved and not in the committee, or the other way round."""
    size = cp.sum(chosen)
    return leximax([size + len(v) - 2 * cp.sum(chosen[v]) for v in _approved(profile)], rules)


def _loads(profile: Profile, chosen: cp.Variable, rules: Sequence[Constraint]) -> Program:
    listed = _approved(profile)
    may = np.zeros((len(listed), profile.num_cand))
    for voter, approved in enumerate(listed):
        may[voter, approved] = 1.0
    loads = cp.Variable(may.shape, nonneg=True, name="loads")
    shared = [cp.sum(loads, axis=0) == chosen, loads <= may]
    return leximax(cp.sum(loads, axis=1), [*rules, *shared])


_RULES: dict[str, Callable[[Profile, cp.Variable, Sequence[Constraint]], Program]] = {
    "lexcc": _represented,
    "lexminimaxav": _distances,
    "leximaxphragmen": _loads,
}
