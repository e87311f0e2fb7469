"""How the margins of each class are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog_boost.margins import class_codes
from lexiprog_boost.plots.canvas import NOTE, canvas_axes, line_of, short_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def margin_distributions(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw, for each class, which share of its points has a margin of at most so much.

    It shows what an error rate hides: whether a class loses its points by far, so that better
    members are needed, or by a hair, so that other weights or thresholds would win them back.
    A point's margin is ``2 p - 1``, p being the share of the members' weight (or probability) that
    speaks for its class.

    Parameters
    ----------
    model : fitted classifier
        With ``predict_proba``.
    X : array-like or sparse matrix of shape (n, n_features)
        Points, best such as the model has not seen: on its own training points margins flatter.
    y : array-like of shape (n,)
        Their labels; a class without points has no curve.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        With a curve a class; the legend counts the points that are right.

    Examples
    --------
    Every second point is kept from training:

    >>> from lexiprog_boost import LexiBoostClassifier, plots
    >>> from lexiprog_boost.datasets import make_toy
    >>> X, y = make_toy().X, make_toy().y
    >>> model = LexiBoostClassifier(n_estimators=3, random_state=0).fit(X[::2], y[::2])
    >>> ax = plots.margin_distributions(model, X[1::2], y[1::2])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0: 16 of 20 right', '1: 3 of 5 right']
    """
    scores = np.asarray(model.predict_proba(X))
    labels = np.asarray(y)
    codes = class_codes(labels, model.classes_)
    margins = 2 * scores[np.arange(len(codes)), codes] - 1
    right = np.asarray(model.predict(X)) == labels
    ax = canvas_axes(ax)
    for j, label in enumerate(model.classes_):
        mine = codes == j
        if not mine.any():
            continue
        name = f"{short_label(label)}: {int((mine & right).sum())} of {int(mine.sum())} right"
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
