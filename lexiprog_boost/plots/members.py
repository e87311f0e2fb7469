"""The weight of every member, in the order of training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE, canvas_axes, short_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Below this a weight is rounding, and a bar would be invisible.
SOME_WEIGHT = 1e-9
FEW = 15


def member_weights(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the weights of a fitted ensemble; members that always vote for one class stand out.

    Look at it before you read anything into single members: a few of them may carry all the
    weight, and constant members that are heavy say that thresholds decide.

    Parameters
    ----------
    model : fitted classifier
        With ``estimators_`` and ``estimator_weights_``.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        With a bar a member, in the order of ``estimators_``.

    Examples
    --------
    >>> from lexiprog_boost import LexiBoostClassifier, plots
    >>> from lexiprog_boost.datasets import make_toy
    >>> toy = make_toy()
    >>> offsets = LexiBoostClassifier(n_estimators=3, class_offsets=True, random_state=0)
    >>> ax = plots.member_weights(offsets.fit(toy.X, toy.y))
    >>> [len(bars) for bars in ax.containers]
    [3, 2]
    """
    check_is_fitted(model)
    ax = canvas_axes(ax, height=3.2)
    n_offsets = len(model.classes_) if getattr(model, "class_offsets", False) else 0
    weights = np.asarray(model.estimator_weights_, dtype=float)[: len(model.estimators_)]
    n_trained = len(weights) - n_offsets
    places = np.arange(len(weights))
    ax.bar(places[:n_trained], weights[:n_trained], width=0.8, color=MAIN, label="trained")
    if n_offsets:
        always = " or ".join(short_label(label, 10) for label in model.classes_[:3])
        text = f"always votes {always}{', ...' if n_offsets > 3 else ''}"
        ax.bar(places[n_trained:], weights[n_trained:], width=0.8, color=ACCENT, label=text)
        ax.legend(frameon=False)
    heavy = np.flatnonzero(weights > SOME_WEIGHT)
    for k in heavy if len(weights) <= FEW else ():
        ax.text(places[k], weights[k], f"{weights[k]:.2f}", ha="center", va="bottom", color=NOTE)
    ax.set_xlim(-0.8, len(weights) - 0.2)
    ax.margins(y=0.15)  # shared axes keep room for the larger weights
    step = max(1, 5 * round(len(weights) / 50))
    ax.set_xticks(range(0, len(weights), step))
    ax.set_xlabel("member of estimators_, in the order of training")
    ax.set_ylabel("weight")
    ax.set_title(f"{len(heavy)} of {len(weights)} members carry weight", loc="left")
    return ax
