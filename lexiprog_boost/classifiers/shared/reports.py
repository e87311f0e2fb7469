"""A fitted ensemble in a few lines of text, and as HTML tables for notebooks. No script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Self

import numpy as np

from lexiprog_boost.classifiers.shared.importances import columns_by_importance
from lexiprog_boost.margins import Member

FEW_MEMBERS = (
    "With so few members, votes are decided by the heaviest; a margin_target below 1, "
    "a weight_cap or margin='proba' spreads the weight."
)
NAMED = 5  # members or columns in a line of text
NUMERIC = (
    "least loss", "loss", "deviation", "weight", "importance", "recall", "wanted", "measured",
    "bound", "cases", "price",
)  # fmt: skip
SHOWN_CLASSES, SHOWN_MEMBERS, SHOWN_COLUMNS = 30, 8, 8
# Colours that carry meaning are middle tones and the rest is the reader's own text colour, so that
# one style serves light and dark pages. Jupyter styles tables with two classes: three are heard.
STYLE = """
.lxb { font: 13px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; color: inherit;
  text-align: left; margin-top: 6px; }
.lxb-title { font-weight: 600; }
.lxb-quiet { opacity: .7; }
.lxb-tables { display: flex; flex-wrap: wrap; gap: 0 40px; align-items: flex-start; }
.lxb.lxb.lxb table { border-collapse: collapse; margin: 4px 0; color: inherit; background: none;
  font-size: 13px; table-layout: auto; }
.lxb.lxb.lxb tr { background: none; }
.lxb.lxb.lxb th, .lxb.lxb.lxb td { border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3);
  padding: 3px 16px 3px 0; text-align: left; background: none; color: inherit; max-width: 22em;
  overflow-wrap: anywhere; }
.lxb.lxb.lxb th { font-weight: 600; border-bottom-color: rgba(128, 128, 128, .7); }
.lxb.lxb.lxb .lxb-number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.lxb-track { display: flex; width: 130px; height: 9px; background: rgba(128, 128, 128, .15); }
.lxb-least { background: rgba(128, 128, 128, .55); }
.lxb-more { background: #c8722b; }
.lxb-weight { background: #3d85c6; }
"""


def visible(text: str) -> str:
    """A text whose control characters and marks of direction are shown and not obeyed."""
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape").decode()
        for letter in text
    )


class Report(str):
    """A text that notebooks show as tables; as a text it reads as it prints."""

    __slots__ = ("html",)
    html: str

    def __new__(cls, text: str) -> Self:
        """Names of classes may hold what terminals obey."""
        return super().__new__(cls, visible(text))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return visible(self.html)


class ReportShown:
    """For estimators with a method ``report``: notebooks show it below scikit-learn's diagram."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """scikit-learn's diagram and, once there is something to tell, the report below it."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._report_html()
        return bundle

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return diagram + self._report_html()

    def _report_html(self) -> str:
        fitted = hasattr(self, "stopped_") or hasattr(self, "rule_")
        return self.report()._repr_html_() if fitted else ""  # type: ignore[attr-defined]


def report_of(model: Any, *, name: str | None = None, notes: Sequence[str] = ()) -> Report:
    """Tell which members carry weight and why training ended, and what the programs found.

    Parameters
    ----------
    model : fitted WeightedVote
        With class optima, losses and a deviation, or a margin, or neither.
    name : str, optional
        Who reports; by default the model.
    notes : sequence of str
        Lines to add.

    Returns
    -------
    Report
    """
    n_members = len(model.estimator_weights_)
    title = (
        f"{name or type(model).__name__}: {model.n_members_} of {n_members} members carry weight"
    )
    notes = [*([FEW_MEMBERS] if _votes_are_few(model) else []), *notes]
    notes += [
        f"{floor.wanted}: {floor.measured:.3f}, with confidence {floor.confidence:.3g} >= "
        f"{floor.bound:.3f}; {floor.status} ({floor.why})"
        for floor in getattr(model, "floors_", ())
    ]
    if getattr(model, "group_losses_", None) is not None:
        notes += model.group_losses_.lines()
    lines = [title, f"weights: {_heaviest(model)}", f"pool: {model.stopped_}"]
    lines += _class_lines(model) if hasattr(model, "class_losses_") else _margin_lines(model)
    columns = columns_by_importance(model)
    lines += _column_line(columns)
    text = Report("\n  ".join([*lines, *notes]))
    text.html = _html(model, title, notes, _columns(columns))
    return text


def _heaviest(model: Any) -> str:
    weights = model.estimator_weights_
    heavy = _by_weight(model, NAMED)
    names = [_given_name(model, t) or f"member {t}" for t in heavy]
    shown = ", ".join(f"{weights[t]:.3f} ({name})" for t, name in zip(heavy, names, strict=True))
    return shown + (", ..." if model.n_members_ > len(heavy) else "")


def _class_lines(model: Any) -> list[str]:
    """Optimum, loss and deviation of every class."""
    width = max(5, *(len(str(label)) for label in model.classes_))
    recalls = _recalls(model)
    lines = [f"{'class':<{width}}  least loss  loss    deviation" + ("  recall" if recalls else "")]
    for k, (label, optimum, loss) in enumerate(
        zip(model.classes_, model.class_optima_, model.class_losses_, strict=True)
    ):
        line = f"{label!s:<{width}}  {optimum:<10.4f}  {loss:<6.4f}  "
        deviation = f"{loss - optimum:.4f}"
        lines.append(line + (f"{deviation:<9}  {recalls[k]:.4f}" if recalls else deviation))
    if recalls:
        lines.append("recalls are those of points that the members did not see")
    return [*lines, f"{_worst(model)} ({model.reduction_})"]


def _recalls(model: Any) -> list[float]:
    """The recalls of unseen points by class; none if there were no such points."""
    return list((getattr(model, "class_recalls_", None) or {}).values())


def _margin_lines(model: Any) -> list[str]:
    """The margin of A1, A2 or A3, and what column generation proved, if there is such."""
    lines = [f"margin r: {model.margin_:.4f}"] if hasattr(model, "margin_") else []
    return lines + ([str(model.convergence_)] if hasattr(model, "convergence_") else [])


def _column_line(columns: list[tuple[str, float]]) -> list[str]:
    """The columns that matter most to the members that can tell; no line if none can."""
    if not columns:
        return []
    shown = ", ".join(f"{value:.3f} ({name})" for name, value in columns[:NAMED])
    return [f"columns: {shown}" + (", ..." if len(columns) > NAMED else "")]


def _worst(model: Any) -> str:
    return f"worst deviation, costs included: {model.deviation_:.4f}"


def _votes_are_few(model: Any) -> bool:
    """Whether a class or less a member carries weight, where members vote."""
    if not hasattr(model, "class_losses_") or model.margin in ("proba", "pairs"):
        return False
    return model.n_members_ <= len(model.classes_)


def _by_weight(model: Any, most: int) -> list[int]:
    """The members that carry weight, the heaviest first."""
    order = np.argsort(-model.estimator_weights_, kind="stable")
    return order[: min(model.n_members_, most)].tolist()


def _html(model: Any, title: str, notes: Sequence[str], columns: str) -> str:
    """The title, the tables and the notes in one styled block."""
    lexicographic = hasattr(model, "class_losses_")
    facts = [_worst(model)] if lexicographic else _margin_lines(model)
    notes = ["; ".join([*facts, f"pool: {model.stopped_}"]), *notes]
    tables = (_classes(model) if lexicographic else "") + _members(model) + columns
    return styled_block(title, tables, notes)


def styled_block(title: str, tables: str, notes: Sequence[str]) -> str:
    """A title, tables and lines of text below them, as HTML."""
    return "\n".join(
        [
            f'<div class="lxb"><style>{STYLE}</style>',
            f'<div class="lxb-title">{escape(title)}</div>',
            f'<div class="lxb-tables">{tables}</div>',
            *(f'<div class="lxb-quiet">{escape(text)}</div>' for text in notes),
            "</div>",
        ]
    )


def _classes(model: Any) -> str:
    optima, losses = model.class_optima_, model.class_losses_
    full = max(float(np.max(losses)), float(np.max(optima)), 1e-12)
    recalls = _recalls(model)
    rows = []
    for k, (label, optimum, loss) in enumerate(
        list(zip(model.classes_, optima, losses, strict=True))[:SHOWN_CLASSES]
    ):
        least, more = min(optimum, loss) / full, max(loss - optimum, 0.0) / full
        bar = _bar(("least", least), ("more", more))
        numbers = _numbers(*recalls[k : k + 1], optimum, loss, loss - optimum)
        rows.append([escape(str(label)), *numbers, bar])
    heads = ["class", "least loss", "loss", "deviation", "least + deviation"]
    heads[1:1] = ["recall"] if recalls else []
    return html_table(heads, rows, len(optima) - len(rows), "classes")


def _members(model: Any) -> str:
    weights = model.estimator_weights_
    heavy = _by_weight(model, SHOWN_MEMBERS)
    full = max(float(weights.max()), 1e-12)
    rows = []
    for t in heavy:
        name = escape(_given_name(model, t) or _kind(model.estimators_[t]))
        rows.append([str(t), name, *_numbers(weights[t]), _bar(("weight", weights[t] / full))])
    rest = model.n_members_ - len(rows)
    return html_table(["member", "learner", "weight", ""], rows, rest, "members")


def _columns(columns: list[tuple[str, float]]) -> str:
    if not columns:
        return ""
    full = max(columns[0][1], 1e-12)
    rows = [
        [escape(name), *_numbers(value), _bar(("weight", value / full))]
        for name, value in columns[:SHOWN_COLUMNS]
    ]
    return html_table(["column", "importance", ""], rows, len(columns) - len(rows), "columns")


def _given_name(model: Any, t: int) -> str | None:
    """The name of a member in its list, or of a class offset; None if it has none."""
    offset = t - (len(model.estimators_) - len(model.classes_))
    if getattr(model, "class_offsets", False) and offset >= 0:
        return f"always {model.classes_[offset]}"
    named = getattr(getattr(model, "ensemble_", None), "named_estimators_", None)
    # Voting has such names as well, of all its members or of all but those it dropped.
    return None if named is None or len(named) <= t else str(list(named)[t])


def _kind(estimator: Any) -> str:
    return type(estimator.estimator if isinstance(estimator, Member) else estimator).__name__


def _numbers(*values: float) -> list[str]:
    return [f"{value:.4f}" for value in values]


def _bar(*pieces: tuple[str, float]) -> str:
    inside = "".join(
        f'<span class="lxb-{kind}" style="width: {100 * share:.1f}%"></span>'
        for kind, share in pieces
    )
    return f'<div class="lxb-track">{inside}</div>'


def html_table(heads: list[str], rows: list[list[str]], rest: int = 0, what: str = "rows") -> str:
    """A table of cells that are HTML already; columns of numbers are known by their heads."""
    numeric = [head in NUMERIC for head in heads]
    kinds = [' class="lxb-number"' if is_number else "" for is_number in numeric]
    top = "".join(f"<th{kind}>{head}</th>" for kind, head in zip(kinds, heads, strict=True))
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{k}>{cell}</td>" for k, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    more = f'<div class="lxb-quiet">and {rest} more {what}</div>' if rest > 0 else ""
    return f"<div><table><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table>{more}</div>"
