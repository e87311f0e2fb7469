"""Which solvers there are on this machine."""

from __future__ import annotations

from functools import cache

import cvxpy as cp

__all__ = ["installed", "is_installed"]


@cache
def installed() -> tuple[str, ...]:
    """Names of the solvers CVXPY finds on this machine; to look costs more than a small solve."""
    return tuple(cp.installed_solvers())


def is_installed(name: str) -> bool:
    """Whether it is there now: somebody may have installed it since we last looked."""
    if name not in installed():
        installed.cache_clear()
    return name in installed()
