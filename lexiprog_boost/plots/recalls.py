"""What the last floor costs the other classes, level by level."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.plots.canvas import NOTE, canvas_axes, line_of, short_label
from lexiprog_boost.thresholds import fit_rule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = 41


def recall_tradeoff(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the recall of every class as the last floor rises, the earlier ones being kept.

    Look at it before you settle on a floor: where the other curves fall steeply, a little less of
    it is a lot for the rest. All recalls are measured on the points that the thresholds were found
    on; the floor that was asked for is marked, and what it takes to promise it lies to its right.

    Parameters
    ----------
    model : fitted LexiThresholdClassifier
        With a floor of recall; without one, the recall of the first class is varied.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        With a curve a class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from lexiprog_boost import LexiThresholdClassifier, plots
    >>> X, y = load_iris(return_X_y=True)
    >>> wanted = [("recall", 1, 0.7)]
    >>> model = LexiThresholdClassifier(GaussianNB(), wanted, cv=5, random_state=0).fit(X, y)
    >>> ax = plots.recall_tradeoff(model)
    >>> len(ax.lines)
    4
    """
    check_is_fitted(model)
    points, priorities, labels = model.calibration_points_, model.priorities_, model.classes_
    floors = [one for one in priorities if one.is_floor and one.measure == "recall"]
    last = floors[-1] if floors else replace(priorities[0], measure="recall", label=labels[0])
    before = [one for one in priorities if one.is_floor and one != last]
    aims = [one for one in priorities if not one.is_floor]
    levels, recalls = np.linspace(0, 1, LEVELS)[1:-1], []
    counts = np.bincount(points.codes, minlength=len(labels))
    for level in levels:
        wanted = [*before, replace(last, limit=float(level), column=None), *aims]
        # Plain thresholds: a confidence of a half asks for the share itself.
        rule = fit_rule(points, wanted, alpha=0.5, rule=model.rule).rule
        right = np.bincount(points.codes, rule(points.logs) == points.codes, len(labels))
        recalls.append(right / np.maximum(counts, 1))
    ax = canvas_axes(ax)
    for c, curve in enumerate(np.transpose(recalls)):
        ax.plot(levels, curve, label=short_label(labels[c]), **line_of(c))
    if last.limit is not None:
        ax.axvline(last.limit, color=NOTE, linewidth=1, linestyle=":", label="asked for")
    ax.set_xlabel(f"recall of {short_label(last.label)} that is asked for")
    ax.set_ylabel("recall")
    ax.set_ylim(-0.02, 1.02)
    ax.legend(frameon=False)
    kept = ", ".join(str(one) for one in before)
    ax.set_title("What a higher floor costs" + (f" ({kept} kept)" if kept else ""), loc="left")
    return ax
