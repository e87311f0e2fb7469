"""Level sets of quasiconvex expressions as convex constraints, by CVXPY's own rules."""

from __future__ import annotations

from collections.abc import Iterable

from cvxpy.reductions.dqcp2dcp.dqcp2dcp import Dqcp2Dcp

from lexiprog.typing import Constraint


def convex_form(constraint: Constraint) -> list[Constraint] | None:
    """Convex constraints that say the same; None if no point satisfies it.

    Some level sets can only be written once the level is a number, so that parameters must have
    their values.
    """
    out: list[Constraint] = []
    # CVXPY has no public way to ask for a single level set.
    for part in _settled(Dqcp2Dcp()._canonicalize_constraint(constraint)):  # noqa: SLF001
        if part is False:
            return None
        if part is not True:
            out.append(part)
    return out


def _settled(parts: Iterable[object]) -> Iterable[object]:
    """The parts, those that wait for the level's value made now."""
    for part in parts:
        value = part
        while callable(value) and not hasattr(value, "is_dcp"):
            value = value()
        yield value
