"""A fitted classifier as HTML: tables of its classes and of its heaviest members. No script."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from lexiprog_boost.margins import Member

SHOWN_CLASSES, SHOWN_MEMBERS = 30, 8
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


def report_html(model: Any, note: str = "") -> str:
    """Return the title, both tables and the notes in one styled block."""
    title = f"{model.n_members_} of {len(model.estimator_weights_)} members carry weight"
    worst = f"worst deviation, costs included: {model.deviation_:.4f}"
    notes = [f"{worst}; pool: {model.pool_stopped_}", *([note] if note else [])]
    return "\n".join(
        [
            f'<div class="lxb"><style>{STYLE}</style>',
            f'<div class="lxb-title">{escape(type(model).__name__)}: {title}</div>',
            f'<div class="lxb-tables">{_classes(model)}{_members(model)}</div>',
            *(f'<div class="lxb-quiet">{escape(text)}</div>' for text in notes),
            "</div>",
        ]
    )


def _classes(model: Any) -> str:
    optima, losses = model.class_optima_, model.class_losses_
    full = max(float(np.max(losses)), float(np.max(optima)), 1e-12)
    rows = []
    for label, optimum, loss in list(zip(model.classes_, optima, losses, strict=True))[
        :SHOWN_CLASSES
    ]:
        least, more = min(optimum, loss) / full, max(loss - optimum, 0.0) / full
        bar = _bar(("least", least), ("more", more))
        rows.append([escape(str(label)), *_numbers(optimum, loss, loss - optimum), bar])
    heads = ["class", "least loss", "loss", "deviation", "least + deviation"]
    return _table(heads, rows, len(optima) - len(rows), "classes")


def _members(model: Any) -> str:
    weights = model.estimator_weights_
    heavy = np.argsort(-weights, kind="stable")[: min(model.n_members_, SHOWN_MEMBERS)]
    full = max(float(weights.max()), 1e-12)
    rows = []
    for t in heavy:
        name = escape(given_name(model, int(t)) or _kind(model.estimators_[t]))
        rows.append([str(t), name, *_numbers(weights[t]), _bar(("weight", weights[t] / full))])
    rest = model.n_members_ - len(rows)
    return _table(["member", "learner", "weight", ""], rows, rest, "members")


def given_name(model: Any, t: int) -> str | None:
    """The name of a member in its list, or of a class offset; None if it has none."""
    offset = t - (len(model.estimators_) - len(model.classes_))
    if model.class_offsets and offset >= 0:
        return f"always {model.classes_[offset]}"
    listed = getattr(getattr(model, "ensemble_", None), "members", None)
    return None if listed is None else str(listed[t][0])


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


def _table(heads: list[str], rows: list[list[str]], rest: int, what: str) -> str:
    numeric = [head in ("least loss", "loss", "deviation", "weight") for head in heads]
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
