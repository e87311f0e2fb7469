"""What LexiBoost's classifiers share beyond the vote: options, margins, weights, what they show."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import check_class_costs, check_margin_target
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.weighted_vote import WeightedVote
from lexiprog_boost.margins import (
    cross_fitted_margins,
    margin_matrix,
    offset_margins,
    out_of_bag_margins,
)
from lexiprog_boost.members.fitting import workers_for
from lexiprog_boost.members.outputs import constant_members
from lexiprog_boost.members.training import refit_member
from lexiprog_boost.pools.pool import Pool
from lexiprog_boost.weights import LexiWeights, lexicographic_weights
from lexiprog_boost.weights.forms import check_tie_break

# A class loss below this is no loss.
NO_LOSS = 1e-9


class LexiVote(WeightedVote):
    """A vote whose weights come from `lexicographic_weights`."""

    # What the estimators' own `__init__` store.
    margin: Any
    margins_from: str
    class_offsets: bool
    class_costs: Any
    margin_target: float
    weight_cap: float | None
    tie_break: Any
    reduce: Any
    solver: Any
    n_jobs: int | None

    def _check_options(self, classes: NDArray, *, also: str | None = None) -> None:
        """Refuse options that no program could be made of, before any member is trained."""
        check_class_costs(self.class_costs, classes, np.ones(len(classes)))
        check_margin_target(self.margin_target)
        check_tie_break(self.tie_break, pool_weights=())
        if self.margins_from not in ("train", "oob", "cross", also):
            raise ValueError(
                f"unknown margins_from {self.margins_from!r}; it is 'train', 'oob' or 'cross'."
            )

    def _pool_margins(self, pool: Pool, data: TrainingData, *, seed: int) -> NDArray:
        """Measure a pool's margins where the options ask for it, class offsets included."""
        if self.margins_from == "train":
            margins = pool.margins if pool.margin_rule == self.margin else None
            if margins is None:
                margins = margin_matrix(
                    pool.estimators, data.X, data.y, rule=self.margin, classes=pool.classes
                )
        elif self.margins_from == "oob":
            margins = out_of_bag_margins(
                list(pool.estimators), data.X, data.y, rule=self.margin, sample_weight=data.weights
            ).margins
        else:
            margins = self._cross_fitted_margins(pool, data, seed)
        return with_offsets(self, margins, data)

    def _cross_fitted_margins(self, pool: Pool, data: TrainingData, seed: int) -> Floats:
        if pool.distributions is None:
            raise ValueError(
                "margins_from='cross' trains each member again with its own point weights, which "
                "this pool does not keep; use pool='m2' or margins_from='train'."
            )
        columns = Parallel(n_jobs=workers_for(data.X, self.n_jobs))(
            delayed(cross_fitted_margins)(
                [member], data.X, data.y, rule=self.margin, sample_weights=row[None],
                refit=refit_member, random_state=seed,
            )
            for member, row in zip(pool.estimators, pool.distributions, strict=True)
        )  # fmt: skip
        return np.column_stack([column.margins for column in columns])

    def _costs(self, y: NDArray, weights: Floats) -> Floats | None:
        """The classes' costs; "balanced" by the weights of these rows."""
        if self.class_costs is None:
            return None
        classes, codes = np.unique(y, return_inverse=True)
        masses: Floats = np.bincount(codes, weights).astype(np.float64)
        return check_class_costs(self.class_costs, classes, masses)

    def _find_weights(
        self, margins: NDArray, y: NDArray, weights: Floats, pool_weights: Floats,
        *, class_optima: Floats | None = None, weight_cap: float | None = None,
        costs: Floats | None = None,
    ) -> LexiWeights:  # fmt: skip
        """Solve the programs of these rows; what is given takes the place of the options."""
        n_offsets = margins.shape[1] - len(pool_weights)
        return lexicographic_weights(
            margins,
            y,
            class_costs=self._costs(y, weights) if costs is None else costs,
            sample_weight=weights,
            margin_target=self.margin_target,
            weight_cap=self.weight_cap if weight_cap is None else weight_cap,
            class_optima=class_optima,
            tie_break=self.tie_break,
            pool_weights=np.append(pool_weights, np.zeros(n_offsets)),
            reduce=self.reduce,
            solver=self.solver,
        )

    def _remember_weights(
        self, members: Sequence[Any], solution: LexiWeights, stopped: str, *, measured_on: str
    ) -> None:
        """Set the fitted attributes, and warn where the training data left nothing to balance."""
        offsets = constant_members(solution.classes) if self.class_offsets else []
        self._remember([*members, *offsets], solution.alpha, solution.classes, stopped)
        self.class_optima_ = solution.class_optima
        self.class_losses_ = solution.class_losses
        self.deviation_ = solution.deviation
        self.chi_ = solution.chi
        self.program_ = solution.program
        self.result_ = solution.result
        self.reduction_ = solution.reduction
        if measured_on == "train" and (solution.class_losses < NO_LOSS).all():
            warnings.warn(
                f"{type(self).__name__}: the members are perfect on the training data, which "
                "leaves nothing to balance. Measure margins on points they did not see "
                "(margins_from='cross', or 'oob' for bagged members) or use a weaker learner.",
                lx.LexiprogWarning,
                stacklevel=4,
            )


def with_offsets(model: LexiVote, margins: NDArray, data: TrainingData) -> NDArray:
    """Append the margins of the class offsets, if the model has them."""
    if not model.class_offsets:
        return margins
    return np.column_stack([margins, offset_margins(data.y, data.classes, rule=model.margin)])
