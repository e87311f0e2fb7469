"""Pictures of weighted ensembles (needs matplotlib: ``pip install 'lexiprog[plot]'``).

Each function draws into ``ax`` if it is given one and returns the Axes.

- `tug_of_war`: what the compromise costs each class
- `member_weights`: who votes, and with which weight
- `margin_distributions`: how sure the vote is, class by class
- `feature_importances`: what the columns are worth
- `staged_g_mean`: how the score grows with the members
- `recall_tradeoff`: what a floor for one class costs the others

Examples
--------
>>> from matplotlib import pyplot as plt
>>> from lexiprog_boost import plots
>>> left, right = plt.subplots(1, 2)[1]
>>> plots.tug_of_war([[1, -1], [1, -1], [-1, 1]], y=[0, 0, 1], ax=left) is left
True
"""

from lexiprog_boost.plots.tug import recall_tradeoff, tug_of_war
from lexiprog_boost.plots.votes import (
    feature_importances,
    margin_distributions,
    member_weights,
    staged_g_mean,
)

__all__ = [
    "feature_importances",
    "margin_distributions",
    "member_weights",
    "recall_tradeoff",
    "staged_g_mean",
    "tug_of_war",
]
