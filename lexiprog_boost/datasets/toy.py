"""A toy set after the paper's figure 1: imbalanced, with outliers in both classes."""

import numpy as np

from lexiprog_boost.datasets.dataset import Dataset

# Our own points: the paper describes its figure but does not publish the numbers. They were chosen
# so that no split of any of the first three rounds has an equal, and random_state plays no part.
MAJORITY = (
    (2.2, 4.7),
    (2.5, 5.8),
    (3.0, 3.5),
    (3.8, 3.3),
    (3.9, 9.1),
    (4.4, 6.4),
    (4.7, 4.1),
    (4.8, 2.4),
    (5.0, 7.1),
    (5.0, 7.7),
    (5.1, 4.5),
    (5.2, 5.2),
    (5.3, 5.3),
    (5.3, 6.5),
    (5.5, 8.2),
    (5.8, 4.3),
    (5.8, 6.9),
    (5.9, 4.8),
    (5.9, 9.1),
    (6.0, 3.2),
    (6.0, 7.2),
    (6.0, 8.5),
    (6.5, 5.7),
    (6.5, 7.3),
    (6.7, 5.6),
    (6.7, 8.1),
    (6.9, 4.7),
    (6.9, 6.2),
    (7.0, 5.7),
    (7.2, 4.5),
    (7.3, 5.4),
    (7.4, 2.7),
    (7.4, 5.5),
    (7.4, 7.9),
    (7.6, 9.5),
    (8.3, 6.2),
    (8.7, 4.6),
    (9.5, 5.2),
)
MAJORITY_OUTLIERS = (
    (2.4, 1.2),
    (1.9, 2.5),
)
MINORITY = (
    (0.5, 3.1),
    (0.6, 1.9),
    (2.0, 4.0),
    (2.1, 1.6),
    (3.1, 1.5),
    (4.2, 0.6),
    (4.9, 0.7),
    (6.1, 1.7),
)
MINORITY_OUTLIERS = (
    (5.3, 6.9),
    (5.6, 6.2),
)


def make_toy() -> Dataset:
    """Return 50 points of the plane on which three stumps fight a tug of war.

    Use it for examples and pictures: everything about it can be checked by eye.

    Three rounds of AdaBoost with axis-parallel stumps find three rules. The first two are right
    on nearly the whole majority and on few minority points, the third the other way round; some
    points of both classes are right under all three, and no single rule is right on all of a class.
    The weights of the rules decide which class wins, as in the paper's sections 1.2 and 1.3.

    Returns
    -------
    Dataset
        Label 1 for the minority, whose last two points are outliers in the midst of the majority;
        0 for the majority, whose last two points are outliers in the midst of the minority.

    Examples
    --------
    Mean margins of the three rules, for the majority and for the minority:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.datasets import make_toy
    >>> from lexiprog_boost.margins import class_mean_margins
    >>> from lexiprog_boost.pools import adaboost_m2_pool
    >>> toy = make_toy()
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> pool = adaboost_m2_pool(stump, toy.X, toy.y, n_estimators=3)
    >>> class_mean_margins([(pool.margins, toy.y)]).means.round(2).tolist()
    [[0.95, 0.95, 0.15], [0.2, -0.2, 0.8]]
    """
    majority = MAJORITY + MAJORITY_OUTLIERS
    minority = MINORITY + MINORITY_OUTLIERS
    return Dataset(
        name="toy",
        X=np.array(majority + minority),
        y=np.repeat([0, 1], [len(majority), len(minority)]),
        feature_names=("x1", "x2"),
        source="after figure 1 of the LexiBoost paper",
    )
