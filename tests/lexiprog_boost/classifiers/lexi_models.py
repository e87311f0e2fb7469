"""Imbalanced points, and LexiBoost's classifiers to be fitted on them."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import DualLexiBoostClassifier, LexiBoostClassifier, LexiEnsembleClassifier

X, CODES = make_classification(
    300, n_features=8, n_informative=4, weights=[0.85], flip_y=0.1, random_state=3
)

Y = np.array(["many", "rare"])[CODES]

STUMP = DecisionTreeClassifier(max_depth=1)

# LexiEnsembleClassifier's defaults are not the paper's.
PAPER = {"margin": "vote", "class_offsets": False, "margin_target": 1.0}

MODELS = {
    "lexiboost": LexiBoostClassifier(STUMP, 8, random_state=0),
    "ensemble": LexiEnsembleClassifier(BaggingClassifier(STUMP, 8), **PAPER, random_state=0),
    "dual": DualLexiBoostClassifier(STUMP, 4, random_state=0),
    "exact dual": DualLexiBoostClassifier(
        STUMP, 4, dual="exact", margin_target=0.5, random_state=0
    ),
}
