"""The paper's 54 artificial sets: two Gaussians of five dimensions (section 4.2)."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from lexiprog_boost.datasets.dataset import Dataset

DIMENSIONS = 5
OUTLIERS = 0.1


@dataclass(frozen=True)
class GaussianSpec:
    """What distinguishes one artificial set from another.

    Take one of `GAUSSIAN_SETS`, or write your own to vary one thing at a time.

    Attributes
    ----------
    n_points : int
        Points in all.
    imbalance_ratio : int
        Majority points a minority point.
    center : float
        Every coordinate of the majority's centre; the minority's is the origin.
    outliers : bool
        Whether a tenth of each class is drawn from the other class's distribution.

    Examples
    --------
    >>> from lexiprog_boost.datasets import GaussianSpec
    >>> GaussianSpec(500, 5, 1.7, outliers=True).name
    'gaussians-500-5-1.7-outliers'
    """

    n_points: int
    imbalance_ratio: int
    center: float
    outliers: bool = False

    @property
    def name(self) -> str:
        """Name of the set: size, imbalance ratio, centre, outliers."""
        end = "-outliers" if self.outliers else ""
        return f"gaussians-{self.n_points}-{self.imbalance_ratio}-{self.center}{end}"


GAUSSIAN_SETS = tuple(
    GaussianSpec(n_points, ratio, center, outliers)
    for outliers, n_points, ratio, center in product(
        (False, True), (500, 1000, 2500), (5, 10, 25), (3.0, 1.7, 1.5)
    )
)


def make_gaussians(spec: GaussianSpec, *, seed: int = 0) -> Dataset:
    """Draw one of the artificial sets.

    Use them where the truth must be known: overlap, imbalance and outliers are what `spec` says.

    Parameters
    ----------
    spec : GaussianSpec
        One of `GAUSSIAN_SETS`, or another.
    seed : int
        The same seed and spec give the same points, whichever sets were drawn before.

    Returns
    -------
    Dataset
        Label 1 for the minority, 0 for the majority, in that order.

    Examples
    --------
    >>> from lexiprog_boost.datasets import GAUSSIAN_SETS, make_gaussians
    >>> len(GAUSSIAN_SETS)
    54
    >>> make_gaussians(GAUSSIAN_SETS[0]).counts
    {0: 417, 1: 83}
    """
    rare = round(spec.n_points / (1 + spec.imbalance_ratio))
    sizes = {1: rare, 0: spec.n_points - rare}
    if min(sizes.values()) < 1:
        raise ValueError(
            f"{spec.n_points} points leave none for a minority of 1 in {spec.imbalance_ratio}; "
            "ask for more points."
        )
    key = [seed, spec.n_points, spec.imbalance_ratio, round(spec.center * 1000), spec.outliers]
    rng = np.random.default_rng([int(part) for part in key])
    parts = []
    for label, size in sizes.items():
        drawn_from = np.full(size, label)
        if spec.outliers:
            drawn_from[: round(OUTLIERS * size)] = 1 - label
        centers = np.where(drawn_from == 0, spec.center, 0.0)[:, None]
        parts.append(rng.normal(size=(size, DIMENSIONS)) + centers)
    return Dataset(
        name=spec.name,
        X=np.vstack(parts),
        y=np.repeat(list(sizes), list(sizes.values())),
        feature_names=tuple(f"x{k + 1}" for k in range(DIMENSIONS)),
        source=f"drawn with seed {seed}",
    )
