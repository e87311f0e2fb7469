"""G-Mean and recalls as members join."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import recall_score

from lexiprog_boost.metrics import geometric_mean_score
from lexiprog_boost.plots.canvas import NOTE, canvas_axes, line_of, short_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_RECALLS = 5


def staged_g_mean(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the G-Mean of the first t members against t, and with few classes their recalls.

    Use it to decide how many members are enough, and to see which class a falling G-Mean gives
    up: members are taken in the order of training, whatever their weights.

    Parameters
    ----------
    model : fitted classifier
        With ``staged_predict``, as LexiBoost's relatives and scikit-learn's AdaBoost have it.
    X : array-like or sparse matrix of shape (n, n_features)
        Points to predict, such as a validation set.
    y : array-like of shape (n,)
        What they are; recalls are of the classes that occur here, up to five of them.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        Whose last line is the G-Mean.

    Examples
    --------
    >>> from lexiprog_boost import AdaBoostM2Classifier, plots
    >>> from lexiprog_boost.datasets import make_toy
    >>> toy = make_toy()
    >>> boosted = AdaBoostM2Classifier(n_estimators=5, random_state=0).fit(toy.X, toy.y)
    >>> ax = plots.staged_g_mean(boosted, toy.X, toy.y)
    >>> ax.lines[-1].get_xdata().tolist()
    [1, 2, 3, 4, 5]
    """
    labels = np.asarray(y)
    present = np.unique(labels)
    means, recalls = [], []
    for guess in model.staged_predict(X):
        means.append(geometric_mean_score(labels, guess))
        recalls.append(recall_score(labels, guess, labels=present, average=None, zero_division=0.0))
    ax = canvas_axes(ax)
    rounds = np.arange(1, len(means) + 1)
    marker = "o" if len(means) == 1 else ""
    if len(present) <= MOST_RECALLS:
        for j, label in enumerate(present):
            ax.plot(
                rounds, np.array(recalls)[:, j], linewidth=1.2, marker=marker,
                label=f"recall of class {short_label(label)}", **line_of(j),
            )  # fmt: skip
    text = f"G-Mean, {means[-1]:.3f} at the end"
    ax.plot(rounds, means, color=NOTE, linewidth=2.6, marker=marker, label=text)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlim(rounds[0] - 0.5, rounds[-1] + 0.5)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("members that vote, in the order of training")
    ax.set_ylabel("share (1 is best)")
    ax.set_title("G-Mean of the first members together", loc="left")
    ax.legend(frameon=False, loc="best")
    return ax
