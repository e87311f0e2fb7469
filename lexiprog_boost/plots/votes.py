"""Who votes and how well: weights, margins, scores as members join, importances of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import recall_score
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.classifiers.shared.importances import column_names, columns_by_importance
from lexiprog_boost.margins import class_codes
from lexiprog_boost.metrics import geometric_mean_score
from lexiprog_boost.plots.canvas import ACCENT, MAIN, NOTE, canvas_axes, line_of, short_label

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


# How the margins of each class are distributed.


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


# G-Mean and recalls as members join.

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


# What each column is worth to an ensemble.

BAR = 0.28  # inches


def feature_importances(
    model: Any, importances: Any = None, *, most: int = 15, ax: Axes | None = None
) -> Axes:
    """Draw the columns that matter most, the most important on top.

    Without `importances` they are the model's ``feature_importances_``: what the splits of its
    trees are worth, on the training data and to those members only that have any. Pass
    scikit-learn's ``permutation_importance`` on points kept back to see what the columns are worth
    to the predictions of the whole ensemble; its spread is drawn as a line.

    Parameters
    ----------
    model : fitted classifier
        With ``feature_importances_``, if no others are given.
    importances : Bunch or array-like of shape (n_features,), optional
        What ``permutation_importance`` returns, or a number a column.
    most : int
        So many columns at most.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        With a bar a column.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost import plots
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plots.feature_importances(DecisionTreeClassifier(random_state=0).fit(X, y), most=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['petal length (cm)', 'petal width (cm)']
    """
    check_is_fitted(model)
    columns, spreads, text = _ranked(model, importances)
    columns, spreads = columns[:most][::-1], spreads[:most][::-1]
    values = [value for _, value in columns]
    ax = canvas_axes(ax, height=1.2 + BAR * len(columns))
    places = np.arange(len(columns))
    ax.barh(places, values, height=0.7, color=MAIN)
    if any(spreads):
        ends = np.subtract(values, spreads), np.add(values, spreads)
        ax.hlines(places, *ends, color=ACCENT, linewidth=2)
    ax.set_yticks(places, [short_label(name) for name, _ in columns])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(text)
    ax.set_title("What the columns are worth", loc="left")
    return ax


def _ranked(model: Any, given: Any) -> tuple[list[tuple[str, float]], list[float], str]:
    """Columns with their importances and spreads, the largest first, and what they are."""
    if given is None:
        columns = columns_by_importance(model)
        if not columns:
            raise ValueError(
                f"this {type(model).__name__} has no feature_importances_; pass those of "
                "sklearn.inspection.permutation_importance."
            )
        return columns, [0.0] * len(columns), "share of the importance of all columns"
    means = np.asarray(getattr(given, "importances_mean", given), dtype=float)
    if means.shape != (model.n_features_in_,):
        raise ValueError(
            f"importances has shape {means.shape}; give one number for each of the "
            f"{model.n_features_in_} columns."
        )
    spreads = np.asarray(getattr(given, "importances_std", np.zeros(len(means))), dtype=float)
    names = column_names(model, len(means))
    order = np.argsort(-means, kind="stable")
    shuffled = hasattr(given, "importances_mean")
    text = "loss of score when the column is shuffled" if shuffled else "importance"
    return [(names[k], float(means[k])) for k in order], spreads[order].tolist(), text
