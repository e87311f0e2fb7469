"""How the margins of each class are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog_boost.margins import class_codes
from lexiprog_boost.plots.canvas import NOTE, axes_for, fitting, line_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def margin_distributions(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw, for each class, which share of its points has a margin of at most so much.

    A point's margin is ``2 p - 1``, p being the share of the members' weight (or probability) that
    speaks for its class.

    Parameters
    ----------
    model : fitted classifier
        With ``predict_proba``.
    X : array-like or sparse matrix of shape (n, n_features)
        Points.
    y : array-like of shape (n,)
        Their labels.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from lexiprog_boost import LexiBoostClassifier, plots
    >>> from lexiprog_boost.datasets import make_toy
    >>> toy = make_toy()
    >>> model = LexiBoostClassifier(n_estimators=3, random_state=0).fit(toy.X, toy.y)
    >>> plots.margin_distributions(model, toy.X, toy.y).get_xlabel()
    'margin of a point: -1 all weight is against its class, 1 all is for it'
    """
    scores = np.asarray(model.predict_proba(X))
    labels = np.asarray(y)
    codes = class_codes(labels, model.classes_)
    margins = 2 * scores[np.arange(len(codes)), codes] - 1
    right = np.asarray(model.predict(X)) == labels
    ax = axes_for(ax)
    for j, label in enumerate(model.classes_):
        mine = codes == j
        if not mine.any():
            continue
        name = f"{fitting(label)}: {int((mine & right).sum())} of {int(mine.sum())} right"
        ordered = np.sort(margins[mine])
        shares = np.arange(1, len(ordered) + 1) / len(ordered)
        ax.step(
            np.concatenate([[-1.0], ordered, [1.0]]), np.concatenate([[0.0], shares, [1.0]]),
            where="post", linewidth=2, label=name, **line_of(j),
        )  # fmt: skip
    ax.axvline(0, color=NOTE, linewidth=1, linestyle=":")
    two = len(model.classes_) == 2
    across = ax.get_xaxis_transform()
    sides = ("wrong", "right") if two else ("less than half", "more than half")
    ax.text(-0.02, 1.01, f"← {sides[0]}", ha="right", color=NOTE, fontsize=9, transform=across)
    ax.text(0.02, 1.01, f"{sides[1]} →", ha="left", color=NOTE, fontsize=9, transform=across)
    ax.set_xlim(-1.02, 1.02)
    ax.set_ylim(0, 1.02)
    ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    ax.set_xlabel("margin of a point: -1 all weight is against its class, 1 all is for it")
    ax.set_ylabel("share of the class up to this margin")
    ax.set_title("Margins of each class", loc="left", pad=18)
    ax.legend(frameon=False, loc="upper left", title="class")
    return ax
