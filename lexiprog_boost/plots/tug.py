"""What one class costs the others: the tug of war over weights, and the price of a floor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.aliases import Floats
from lexiprog_boost.margins import margin_matrix
from lexiprog_boost.plots.canvas import ACCENT, NOTE, SOFT, canvas_axes, line_of, short_label
from lexiprog_boost.programs import lexiboost_program
from lexiprog_boost.thresholds import fit_rule
from lexiprog_boost.weights import lexicographic_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Every class's optimum and loss as bars.


def deviation_bars(classes: Any, optima: Any, losses: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a bar a class: its least loss, and what the compromise adds to it."""
    optima, losses = np.asarray(optima, dtype=float), np.asarray(losses, dtype=float)
    gaps, rows = losses - optima, np.arange(len(optima))
    ax = canvas_axes(ax, height=1.6 + 0.38 * len(rows))
    ax.barh(rows, optima, height=0.62, color=SOFT, label="least loss, the class by itself")
    ax.barh(rows, gaps, left=optima, height=0.62, color=ACCENT, label="deviation: what it gives up")
    full = max(float(losses.max()), 1e-9)
    for k in range(len(rows)):
        end = max(losses[k], optima[k]) + 0.012 * full
        ax.text(end, k, f"{gaps[k]:+.3f}", va="center", color=NOTE, fontsize=9)
    ax.set_yticks(rows, [short_label(label) for label in classes])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1.15 * full)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("mean loss of the class")
    ax.set_ylabel("class")
    ax.set_title("What each class loses, and what it could not avoid", loc="left", pad=24)
    ax.legend(
        frameon=False, ncols=2, fontsize=9, loc="lower left", bbox_to_anchor=(-0.01, 0.985),
        borderaxespad=0.1,
    )  # fmt: skip
    return ax


STEPS = 61


def tug_of_war(model: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw what each class loses as the weights go from its favourites to those of the other.

    Use it to see what the compromise costs each class, and whether there was anything to share
    out: where the curves are flat, the members leave the weights no choice.
    With two classes the way leads from the best weights for the first class alone over the
    compromise to the best for the second one. With more classes, or a model without points, the
    picture shows every class's optimum and its loss.

    Parameters
    ----------
    model : fitted LexiBoost classifier, or array-like of shape (n, T)
        The model, or a margin matrix, for which the compromise is found here.
    X : array-like or sparse matrix of shape (n, n_features), optional
        Points on which the model's members are compared; not needed with a margin matrix.
    y : array-like of shape (n,), optional
        Labels of the points, or of the margin matrix's rows.
    ax : matplotlib Axes, optional
        Where to draw; without it, a new figure.

    Returns
    -------
    matplotlib Axes
        With a curve a class and a tick at each of the three weights, or with bars.

    Examples
    --------
    Two members, each made for one of the classes:

    >>> from lexiprog_boost import plots
    >>> margins = [[1, -1], [1, -1], [1, 1], [-1, 1], [-1, 1]]
    >>> y = ["many", "many", "many", "rare", "rare"]
    >>> ax = plots.tug_of_war(margins, y=y)
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['best for many', 'LexiBoost', 'best for rare']
    """
    if not hasattr(model, "predict"):
        margins, labels = np.asarray(model, dtype=float), np.asarray(y)
        solution = lexicographic_weights(margins, labels)
        if len(solution.classes) != 2:
            return deviation_bars(
                solution.classes, solution.class_optima, solution.class_losses, ax=ax
            )
        return _draw(margins, labels, solution.alpha, {}, ax)
    if X is None or len(model.classes_) != 2:
        return deviation_bars(model.classes_, model.class_optima_, model.class_losses_, ax=ax)
    labels = np.asarray(y)
    margins = margin_matrix(model.estimators_, X, labels, rule=model.margin, classes=model.classes_)
    options = {"margin_target": model.margin_target, "weight_cap": model.weight_cap}
    return _draw(margins, labels, model.estimator_weights_, options, ax)


def _draw(
    margins: Floats, y: NDArray, compromise: Floats, options: dict[str, Any], ax: Axes | None
) -> Axes:
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError("a tug of war needs points of both classes.")
    solved = lexiboost_program(margins, y, **options).solve()
    ends = [solved[f"class:{label}"]["alpha"] for label in classes]
    lengths = [np.abs(compromise - end).sum() for end in ends]
    # The ends stay apart from the compromise, so that their names do; the axis has no numbers.
    middle = float(np.clip(lengths[0] / max(sum(lengths), 1e-12), 0.22, 0.78))
    places, losses = _way(
        margins, y, [ends[0], compromise, ends[1]], middle, options.get("margin_target", 1.0)
    )
    ax = canvas_axes(ax)
    at_middle = STEPS - 1
    for j, label in enumerate(classes):
        style, optimum = line_of(j), losses[0 if j == 0 else -1, j]
        ax.plot(places, losses[:, j], linewidth=2.2, label=f"class {short_label(label)}", **style)
        ax.plot([0, 1], [optimum, optimum], color=style["color"], linewidth=0.9, linestyle=":")
        ax.plot([0 if j == 0 else 1], [optimum], "o", color=style["color"], clip_on=False)
        _deviation(ax, middle, optimum, losses[at_middle, j], j)
    ax.axvline(middle, ymax=0.88, color=NOTE, linewidth=0.9, zorder=0)
    first, second = (short_label(label, 14) for label in classes)
    names = [f"best for {first}", "LexiBoost", f"best for {second}"]
    ax.set_xticks([0, middle, 1], names)
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(0, 1.12 * max(float(losses.max()), 1e-3))
    ax.set_xlabel("weights of the members")
    ax.set_ylabel("mean loss of the class")
    ax.set_title("Tug of war: what each class loses", loc="left")
    ax.legend(frameon=False, loc="upper center", ncols=2)
    return ax


def _way(
    margins: Floats, y: NDArray, stops: list[Floats], middle: float, target: float
) -> tuple[Floats, Floats]:
    """Places from 0 to 1 and both classes' mean losses there, straight from stop to stop."""
    share = np.linspace(0, 1, STEPS)[:, None]
    start, between, end = stops
    way = np.vstack([start + share * (between - start), (between + share * (end - between))[1:]])
    hinge = np.maximum(target - margins @ way.T, 0.0)
    losses = np.column_stack([hinge[y == label].mean(axis=0) for label in np.unique(y)])
    steps = share[:, 0]
    return np.append(middle * steps, (middle + (1 - middle) * steps)[1:]), losses


def _deviation(ax: Axes, at: float, optimum: float, loss: float, j: int) -> None:
    """Mark how far a class is from its optimum at the compromise."""
    colour, side = line_of(j)["color"], (-1, 1)[j]
    x = at + 0.012 * side
    ax.plot([x, x], [optimum, loss], color=colour, linewidth=4, alpha=0.55, solid_capstyle="butt")
    behind = {"facecolor": ax.get_facecolor(), "alpha": 0.8, "linewidth": 0, "pad": 1}
    ax.text(
        x + 0.02 * side, optimum + 0.3 * (loss - optimum), _more(loss - optimum), color=colour,
        ha=("right", "left")[j], va="center", fontsize=9, bbox=behind, zorder=4,
    )  # fmt: skip


def _more(deviation: float) -> str:
    return f"{abs(deviation):.2f} {'more' if deviation >= 0 else 'less'}\nthan its best"


# What a floor for one class costs the others, level by level.

# Levels of a floor at which the recalls are drawn.
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
