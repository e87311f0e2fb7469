"""The frame of every HTML display: its style, and texts made safe. There is no script."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files


@cache
def style() -> str:
    """The style sheet, without its comments."""
    sheet = files("lexiprog.show.html").joinpath("style.css").read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/\s*", "", sheet, flags=re.DOTALL)


def page(*parts: str) -> str:
    """The parts in one styled block."""
    return f'<div class="lx"><style>{style()}</style>\n' + "\n".join(parts) + "\n</div>"


def tag(name: str, classes: str, *inside: str) -> str:
    """An element around parts that are HTML already."""
    return f'<{name} class="{classes}">{"".join(inside)}</{name}>'


def safe(text: str) -> str:
    """A text that may contain anything, as HTML."""
    return escape(text, quote=True)
