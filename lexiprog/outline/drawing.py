"""The place where those who draw outlines say so; who has one to show asks here.

Records and results know nothing of HTML: the renderers in ``show`` register themselves, and
without them a notebook falls back to the text.
"""

from __future__ import annotations

from functools import singledispatch

__all__ = ["draw"]


@singledispatch
def draw(outline: object) -> str | None:  # noqa: ARG001 - kinds are registered elsewhere
    """The outline as HTML, if somebody has registered how to draw its kind."""
    return None
