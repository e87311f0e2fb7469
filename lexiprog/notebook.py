"""How errors are shown by IPython: with their picture where there is a page to show it on."""

from __future__ import annotations

import sys
import traceback
from typing import Any

__all__ = ["render_traceback"]

_SHOWN: dict[int, tuple[object, str]] = {}  # the last error with a picture, and the cell it was for


def render_traceback(error: BaseException) -> list[str]:
    """The lines of a traceback, for IPython, which asks errors for them.

    Notebooks show errors as text alone, so the picture of one that has any goes before it.
    """
    shell = _shell()
    # A terminal has no page for pictures.
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        _display(error, kernel)
    if shell is None:
        return traceback.format_exception(error)
    kind, trace = type(error), error.__traceback__
    lines: list[str] = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=1)
    return lines


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _display(error: BaseException, kernel: Any) -> None:
    try:
        # The kernel asks twice for one cell, for the page and for its reply.
        cell = kernel.get_parent().get("header", {}).get("msg_id")
        if _SHOWN.get(id(error)) == (cell, str(error)):
            return
        _SHOWN.clear()
        _SHOWN[id(error)] = (cell, str(error))
        html = error._repr_html_()  # type: ignore[attr-defined]
        if html is not None:
            from IPython.display import display

            display({"text/html": html, "text/plain": str(error)}, raw=True)  # type: ignore[no-untyped-call]
    except Exception:  # noqa: BLE001 - a picture that cannot be drawn must not hide the error
        return
