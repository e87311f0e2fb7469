"""Options of the detector that make no sense are refused before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiprog_boost.one_class.program import check_nu


def check_options(model: Any) -> None:
    """Refuse a detector's parameters with a sentence that says what they may be.

    Examples
    --------
    >>> from lexiprog_boost import OneClassLexiBoost
    >>> from lexiprog_boost.one_class.options import check_options
    >>> check_options(OneClassLexiBoost("stumps"))
    Traceback (most recent call last):
    ...
    ValueError: unknown hypotheses 'stumps'; they are 'bumps' or 'trees'.
    """
    check_nu(model.nu)
    if model.hypotheses not in ("bumps", "trees"):
        raise ValueError(f"unknown hypotheses {model.hypotheses!r}; they are 'bumps' or 'trees'.")
    for name in ("n_groups", "n_hypotheses"):
        count = getattr(model, name)
        if not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"{name} is {count!r}; it is a whole number from 1 on.")
    if model.width is not None and not model.width > 0:
        raise ValueError(f"width is {model.width!r}; the bumps' width is above 0.")
    share = model.contamination
    if share != "auto" and not (isinstance(share, int | float) and 0 < share <= 0.5):
        raise ValueError(f"contamination is {share!r}; it is 'auto' or a share in (0, 0.5].")
