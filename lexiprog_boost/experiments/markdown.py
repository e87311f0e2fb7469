"""Pages and tables as Markdown, numbers always written alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTHING = "–"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """A Markdown table whose first `left` columns are words and the others numbers.

    Examples
    --------
    >>> from lexiprog_boost.experiments.markdown import markdown_table
    >>> print(markdown_table(["set", "rank"], [["pima", "1.00"]]))
    | set | rank |
    |---|---:|
    | pima | 1.00 |
    """
    rules = ["---" if k < left else "---:" for k in range(len(header))]
    lines = [_line(header), "|" + "|".join(rules) + "|", *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def markdown_page(title: str, *parts: str) -> str:
    """A Markdown page of a title and paragraphs."""
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def fixed(value: float | None, decimals: int = 2) -> str:
    """A number with a fixed count of decimals and no negative zero; a dash for nothing."""
    if value is None:
        return NOTHING
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text


def share(part: float, whole: float) -> str:
    """A part in per cent, a dash of nothing.

    Examples
    --------
    >>> from lexiprog_boost.experiments.markdown import share
    >>> share(1, 3), share(0, 0)
    ('33.3 %', '–')
    """
    return f"{100 * part / whole:.1f} %" if whole else NOTHING


def p_value(p: float) -> str:
    """A p-value to three decimals, or that it is smaller.

    Examples
    --------
    >>> from lexiprog_boost.experiments.markdown import p_value
    >>> p_value(0.0417), p_value(1e-7)
    ('p = 0.042', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def best_in_bold(
    values: Sequence[float], decimals: int, *, largest: bool, bold: bool = True
) -> list[str]:
    """Numbers as text, the best (as printed) in boldface."""
    texts = [fixed(value, decimals) for value in values]
    best = (max if largest else min)(texts, key=float, default="")
    return [f"**{text}**" if bold and text == best else text for text in texts]


def setting_text(setting: dict[str, float]) -> str:
    """A setting in words and numbers.

    Examples
    --------
    >>> from lexiprog_boost.experiments.markdown import setting_text
    >>> setting_text({"k": 3, "nu": 0.1}), setting_text({})
    ('k=3 nu=0.1', '')
    """
    return " ".join(f"{name}={value:g}" for name, value in setting.items())
