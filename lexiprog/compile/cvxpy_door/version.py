"""Which versions of CVXPY this folder knows the inside of."""

from __future__ import annotations

import os
import re

from lexiprog.errors import LexiprogError

# `make nightly` runs the suite on both ends.
OLDEST, BEYOND = (1, 9, 3), (1, 10)
ANY_VERSION = "LEXIPROG_ANY_CVXPY"


class CvxpyMismatch(LexiprogError, RuntimeError):
    """CVXPY works inside in another way than this module was written for."""


def check_version(version: str) -> None:
    """Refuse a CVXPY whose insides nobody has looked at, unless the user insists."""
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if OLDEST <= found < BEYOND or os.environ.get(ANY_VERSION):
        return
    oldest, beyond = (".".join(map(str, v)) for v in (OLDEST, BEYOND))
    raise CvxpyMismatch(
        f"CVXPY {version} is installed, but lexiprog is tested with {oldest} up to, not including, "
        f"{beyond}: install one of these, or set {ANY_VERSION}=1 to try it all the same."
    )
