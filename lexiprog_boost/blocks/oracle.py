"""What one pass over the blocks sees: every class's loss at some weights, and where it bends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.margins.class_means import ROWS_AT_ONCE
from lexiprog_boost.members.outputs import class_codes
from lexiprog_boost.programs.inputs import Linear


@dataclass(frozen=True)
class Points:
    """What is known of all points before the first pass.

    Attributes
    ----------
    classes : ndarray of shape (C,)
        Sorted labels.
    masses : ndarray of shape (C,)
        Total weight of each class.
    counts : ndarray of int, shape (C,)
        Points of each class.
    target : float
        The margin beyond which a point has no loss.
    """

    classes: NDArray
    masses: Floats
    counts: NDArray[np.int64]
    target: float

    def slices(
        self, block: tuple[NDArray, NDArray, Any]
    ) -> Iterator[tuple[Floats, NDArray[np.intp], Floats]]:
        """Margins, class codes and weights that sum to one over each class, some rows at a time."""
        margins, y, weights = block
        for start in range(0, len(y), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            codes = class_codes(y[rows], self.classes)
            point_weights = 1.0 / self.masses[codes]
            if weights is not None:
                point_weights = point_weights * np.asarray(weights[rows], dtype=np.float64)
            yield np.asarray(margins[rows], dtype=np.float64), codes, point_weights


@dataclass(frozen=True)
class Drawn:
    """Some points of each class, drawn alike."""

    margins: Floats
    codes: NDArray[np.intp]
    weights: Floats

    def __add__(self, other: Drawn) -> Drawn:
        parts = zip(
            (self.margins, self.codes, self.weights),
            (other.margins, other.codes, other.weights),
            strict=True,
        )
        return Drawn(*(np.concatenate(pair) for pair in parts))


def sample(
    block: tuple[NDArray, NDArray, Any], number: int, points: Points, size: int, seed: int
) -> Drawn:
    """About ``size`` points of each class of all blocks, all of a class that has no more."""
    rng = np.random.default_rng([seed, number])
    chances = np.minimum(1.0, size / np.maximum(points.counts, 1))
    sampled = Drawn(np.zeros((0, block[0].shape[1])), np.zeros(0, dtype=np.intp), np.zeros(0))
    for margins, codes, weights in points.slices(block):
        drawn = (rng.random(len(codes)) < chances[codes]) & (weights > 0)
        sampled += Drawn(margins[drawn], codes[drawn], weights[drawn])
    return sampled


@dataclass(frozen=True)
class Trial:
    """Weights to be tried on some classes.

    Attributes
    ----------
    alpha : ndarray of shape (T,)
        The weights.
    members : ndarray of int
        The classes' positions.
    width : float
        Points with margins so near to the target are brought along.
    most : float
        The largest share of a slice's points that is.
    """

    alpha: Floats
    members: NDArray[np.intp]
    width: float
    most: float


@dataclass(frozen=True)
class Evaluation:
    """The losses at one trial, by one pass.

    Attributes
    ----------
    losses : ndarray of shape (C,)
        Mean hinge loss of each class at the trial.
    cut : Linear
        The tangents there: no loss is below them, whatever the weights.
    near : Drawn
        Points near the target, which may change sides.
    """

    losses: Floats
    cut: Linear
    near: Drawn

    def __add__(self, other: Evaluation) -> Evaluation:
        return Evaluation(self.losses + other.losses, self.cut + other.cut, self.near + other.near)


class Evaluations(tuple[Evaluation, ...]):
    """One for each trial; sums are taken trial by trial."""

    __slots__ = ()

    def __add__(self, other: Any) -> Evaluations:
        return Evaluations(mine + its for mine, its in zip(self, other, strict=True))


def evaluate(
    block: tuple[NDArray, NDArray, Any], _: int, points: Points, trials: Sequence[Trial]
) -> Evaluations:
    """Every trial's losses, tangents and near points in a block."""
    n_classes, n_members = len(points.classes), len(trials[0].alpha)
    nothing = Drawn(np.zeros((0, n_members)), np.zeros(0, dtype=np.intp), np.zeros(0))
    flat = Linear(np.zeros(n_classes), np.zeros((n_classes, n_members)))
    total = Evaluations(Evaluation(np.zeros(n_classes), flat, nothing) for _ in trials)
    near: list[list[Drawn]] = [[nothing] for _ in trials]
    for slice_ in points.slices(block):
        seen = [_evaluated(slice_, points, trial) for trial in trials]
        total = total + Evaluations(
            Evaluation(evaluation.losses, evaluation.cut, nothing) for evaluation in seen
        )
        for kept, evaluation in zip(near, seen, strict=True):
            kept.append(evaluation.near)
    return Evaluations(
        Evaluation(evaluation.losses, evaluation.cut, _joined(kept))
        for evaluation, kept in zip(total, near, strict=True)
    )


def _joined(parts: list[Drawn]) -> Drawn:
    return Drawn(
        np.concatenate([part.margins for part in parts]),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def _evaluated(
    slice_: tuple[Floats, NDArray[np.intp], Floats], points: Points, trial: Trial
) -> Evaluation:
    margins, codes, weights = slice_
    n_classes = len(points.classes)
    if len(trial.members) < n_classes:
        rows = np.flatnonzero(np.isin(codes, trial.members) & (weights > 0))
        margins, codes, weights = margins[rows], codes[rows], weights[rows]
    short = points.target - margins @ trial.alpha
    active = np.where(short > 0, weights, 0.0)
    pulls = np.zeros((n_classes, len(codes)))
    pulls[codes, np.arange(len(codes))] = active
    mass = np.bincount(codes, active, n_classes).astype(np.float64)
    losses = np.bincount(codes, active * short, n_classes).astype(np.float64)
    distance = np.abs(short)
    near = np.flatnonzero(distance <= trial.width)
    most = int(np.ceil(trial.most * len(codes)))
    if len(near) > most:  # ties, or a width that was too wide: the nearest
        near = near[np.argpartition(distance[near], most)[:most]] if most else near[:0]
    cut = Linear(points.target * mass, pulls @ margins)
    return Evaluation(losses, cut, Drawn(margins[near], codes[near], weights[near]))
