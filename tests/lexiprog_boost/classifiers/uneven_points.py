"""Points of a common and a rare class, and members that are quick to train."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from lexiprog_boost.learners import BalancedForestClassifier

X, Y = make_classification(
    600, n_features=8, n_informative=4, weights=[0.92], flip_y=0.03, random_state=5
)

TRAIN, TEST = np.arange(600) < 400, np.arange(600) >= 400

LIGHT = [
    ("linear", LogisticRegression(class_weight="balanced")),
    ("bayes", GaussianNB()),
    ("forest", BalancedForestClassifier(15)),
]
