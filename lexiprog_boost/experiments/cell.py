"""A cell: one method with all its settings on one fold of one data set."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.methods import BY_NAME, Setting, make_learner, now
from lexiprog_boost.metrics import average_auc_score, geometric_mean_score

# What facts F2, F9 and F11 look like in a fitted model: one voter, perfect pools, lost rounds.
#
# The facts and their proofs are in docs/facts.md.

Facts = dict[str, float | int | bool | str | None]

# A loss below this is that of a pool without training errors.
NOTHING = 1e-9


def facts_of(model: Any, y: NDArray, X: NDArray, predicted: NDArray) -> Facts:
    """Describe a vote of weighted members; nothing for other classifiers.

    Parameters
    ----------
    model : fitted classifier
        With `estimators_` and `estimator_weights_`, or any other.
    y : ndarray of shape (n,)
        The labels it was fitted on.
    X : ndarray of shape (m, n_features)
        Points to compare the vote with its heaviest member on.
    predicted : ndarray of shape (m,)
        The vote's labels for them.

    Returns
    -------
    dict
        ``members``: how many were trained; ``weighted``: how many of them count; ``like_heaviest``:
        share of points where the vote is the heaviest member's; for the lexicographic ones
        ``perfect``: some class's best loss is zero, and ``deviation``: the worst class's regret;
        for Dual-LexiBoost ``one_class``: the largest share that a class has of the point weights
        of the second round, None if there is none, and ``stopped``: why its loop 2 ended.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost import LexiBoostClassifier
    >>> from lexiprog_boost.datasets import make_toy
    >>> from lexiprog_boost.experiments.cell import facts_of
    >>> toy = make_toy()
    >>> model = LexiBoostClassifier(n_estimators=3, random_state=0).fit(toy.X, toy.y)
    >>> facts_of(model, toy.y, toy.X, model.predict(toy.X))["weighted"] <= 2
    True
    """
    weights = getattr(model, "estimator_weights_", None)
    members = getattr(model, "estimators_", None)
    if weights is None or members is None or not hasattr(members[0], "predict"):
        return {}
    weights = np.asarray(weights, dtype=np.float64)[: len(members)]
    heaviest = members[int(np.argmax(weights))]
    facts: Facts = {
        "members": len(members),
        "weighted": int(np.count_nonzero(weights > NOTHING * weights.max())),
        "like_heaviest": float(np.mean(heaviest.predict(X) == predicted)),
    }
    if hasattr(model, "class_optima_"):
        optima = np.asarray(model.class_optima_, dtype=np.float64)
        facts["perfect"] = bool(optima.min() < NOTHING)
        facts["deviation"] = float(model.deviation_)
    if hasattr(model, "loops_stopped_"):
        facts["one_class"] = _largest_share(model.point_weights_, y)
        facts["stopped"] = model.loops_stopped_[1]
    return facts


def _largest_share(point_weights: NDArray, y: NDArray) -> float | None:
    if len(point_weights) < 2:
        return None
    _, codes = np.unique(y, return_inverse=True)
    shares = np.bincount(codes, weights=point_weights[1])
    return float(shares.max() / shares.sum())


Record = dict[str, Any]

# Folds inside the training fold, in which the honest protocol chooses a setting.
INNER_FOLDS = 2


@dataclass(frozen=True, order=True)
class Cell:
    """What is to be measured: plain words and numbers, which make its key on disk.

    Attributes
    ----------
    study, dataset, learner, method : str
        Names.
    fold : int
        The test fold.

    Examples
    --------
    >>> from lexiprog_boost.experiments.cell import Cell
    >>> Cell("keel-two-class", "pima", "kNN", "LexiBoost", 0).key
    'keel-two-class/pima/kNN/LexiBoost/0'
    """

    study: str
    dataset: str
    learner: str
    method: str
    fold: int

    @property
    def key(self) -> str:
        """The cell's name on disk."""
        return f"{self.study}/{self.dataset}/{self.learner}/{self.method}/{self.fold}"

    @property
    def seed(self) -> int:
        """One seed a fold: methods that start from AdaBoost's members share them."""
        return crc32(f"{self.study}/{self.dataset}/{self.fold}".encode()) & 0x7FFFFFFF


def evaluate_cell(
    cell: Cell,
    data: Dataset,
    settings: Sequence[Setting],
    *,
    choose: bool = False,
    keep_predictions: bool = False,
) -> Record:
    """Fit every setting of the cell's method on the training fold and score the test fold.

    Parameters
    ----------
    cell : Cell
        What to measure.
    data : Dataset
        The set that it names.
    settings : sequence of mappings
        What the method and its learner are tried with.
    choose : bool
        Also score every setting by folds inside the training fold.
    keep_predictions : bool
        Keep the predicted labels of the test fold, for maps.

    Returns
    -------
    dict
        Of plain values; a setting that fails has its cause under "error" and no scores.
    """
    start = now()
    train, test = list(data.splits())[cell.fold]
    runs = []
    with warnings.catch_warnings():
        # Weak members, small classes and unconverged rounds are what is being measured here.
        warnings.simplefilter("ignore")
        for setting in settings:
            run = _score(cell, setting, data, train, test, keep=keep_predictions)
            if choose and len(settings) > 1 and "error" not in run:
                run["inner"] = _inner_scores(cell, setting, data, train)
            runs.append(run)
    spent = now().since(start)
    return {
        "study": cell.study,
        "dataset": cell.dataset,
        "learner": cell.learner,
        "contender": cell.method,
        "fold": cell.fold,
        "seconds": spent.seconds,
        "processor": spent.processor,
        "runs": runs,
    }


def _score(
    cell: Cell, setting: Setting, data: Dataset, train: NDArray, test: NDArray, *, keep: bool
) -> Record:
    X, y = data.X[train], data.y[train]
    model = BY_NAME[cell.method].build(make_learner(cell.learner, setting), setting, cell.seed)
    start = now()
    try:
        model.fit(X, y)
        spent = now().since(start)
        predicted = model.predict(data.X[test])
        scores = {
            "g_mean": geometric_mean_score(data.y[test], predicted),
            "auc": _area(model, data.X[test], data.y[test]),
        }
        facts = facts_of(model, y, data.X[test], predicted)
    except Exception as cause:  # noqa: BLE001 - whatever goes wrong is this setting's result
        return {"setting": dict(setting), "error": f"{type(cause).__name__}: {cause}"}
    run: Record = {
        "setting": dict(setting), **scores,
        "seconds": spent.seconds, "processor": spent.processor, "facts": facts,
    }  # fmt: skip
    if keep:
        run["predicted"] = predicted.tolist()
    return run


def _inner_scores(cell: Cell, setting: Setting, data: Dataset, train: NDArray) -> list[float]:
    """G-Mean on folds inside the training fold; a setting that fails there scores nothing."""
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=cell.seed)
    scores = []
    for inner, held_out in folds.split(train, data.y[train]):
        run = _score(cell, setting, data, train[inner], train[held_out], keep=False)
        scores.append(float(run.get("g_mean", 0.0)))
    return scores


def _area(model: Any, X: NDArray, y: NDArray) -> float:
    """AUC, or Avg-AUC over the classes that the fold has."""
    present = np.unique(y)
    columns = np.searchsorted(model.classes_, present)
    return average_auc_score(y, model.predict_proba(X)[:, columns], labels=present)
