"""Pictures of weighted ensembles (needs matplotlib: ``pip install 'lexiprog[plot]'``).

Each function draws into ``ax`` if it is given one and returns the Axes.

Examples
--------
>>> from lexiprog_boost import LexiBoostClassifier, plots
>>> from lexiprog_boost.datasets import make_toy
>>> toy = make_toy()
>>> model = LexiBoostClassifier(n_estimators=3, random_state=0).fit(toy.X, toy.y)
>>> plots.member_weights(model).get_ylabel()
'weight'
"""

from lexiprog_boost.plots.distributions import margin_distributions
from lexiprog_boost.plots.members import member_weights
from lexiprog_boost.plots.staged import staged_g_mean
from lexiprog_boost.plots.tug import tug_of_war

__all__ = ["margin_distributions", "member_weights", "staged_g_mean", "tug_of_war"]
