"""A fitted classifier in a few lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiprog_boost.classifiers.shared.report_html import given_name, report_html

FEW_MEMBERS = (
    "With so few members, votes are decided by the heaviest; a margin_target below 1, "
    "a weight_cap or margin='proba' spreads the weight."
)


class Report(str):
    """A text that notebooks show as tables; elsewhere it reads as it prints."""

    __slots__ = ("html",)
    html: str

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.html


def report(model: Any) -> Report:
    """Return the members that carry weight, and optimum, loss and deviation of every class."""
    weights = model.estimator_weights_
    heavy = np.argsort(-weights, kind="stable")[: min(model.n_members_, 5)]
    names = [given_name(model, int(t)) or f"member {t}" for t in heavy]
    shown = ", ".join(f"{weights[t]:.3f} ({name})" for t, name in zip(heavy, names, strict=True))
    more = "" if model.n_members_ <= len(heavy) else ", ..."
    width = max(5, *(len(str(label)) for label in model.classes_))
    lines = [
        f"{type(model).__name__}: {model.n_members_} of {len(weights)} members carry weight",
        f"  weights: {shown}{more}",
        f"  pool: {model.pool_stopped_}",
        f"  {'class':<{width}}  least loss  loss    deviation",
    ]
    deviations = model.class_losses_ - model.class_optima_
    for row in zip(
        model.classes_, model.class_optima_, model.class_losses_, deviations, strict=True
    ):
        label, optimum, loss, deviation = row
        lines.append(f"  {label!s:<{width}}  {optimum:<10.4f}  {loss:<6.4f}  {deviation:.4f}")
    lines.append(f"  worst deviation, costs included: {model.deviation_:.4f} ({model.reduction_})")
    few = model.n_members_ <= len(model.classes_) and model.margin not in ("proba", "pairs")
    if few:
        lines.append(f"  {FEW_MEMBERS}")
    text = Report("\n".join(lines))
    text.html = report_html(model, FEW_MEMBERS if few else "")
    return text
