"""A vote whose members may be weighed on points that come in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from lexiprog_boost.blocks import is_dask
from lexiprog_boost.checks.estimators import estimator_class
from lexiprog_boost.classifiers.shared.blocks.fitting import check_blocks, weigh_by_blocks
from lexiprog_boost.classifiers.shared.ensemble_margins import check_known_classes
from lexiprog_boost.classifiers.shared.group_cells import GroupLosses
from lexiprog_boost.classifiers.shared.lexi_vote import LexiVote
from lexiprog_boost.classifiers.shared.listed.named_members import NamedMembers, trained_ensemble
from lexiprog_boost.margins import ensemble_members


@estimator_class
class BlockVote(LexiVote):
    """A vote of an ensemble's members, fitted ones of which can be weighed by blocks."""

    def _fits_blocks(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, again: bool = False
    ) -> bool:
        """Weigh fitted members on points of Dask's; say whether they are such points."""
        if not is_dask(X):
            return False
        if groups is not None:
            raise ValueError("groups are balanced in memory only; leave them out for Dask's data.")
        data = check_blocks(self, X, y, sample_weight, reset=not again)
        self._check_options(data.classes, also="auto")
        if not again:
            rng = check_random_state(self.random_state)
            self.ensemble_ = trained_ensemble(self.ensemble, None, None, prefit=True, rng=rng)
        members = ensemble_members(self.ensemble_)
        check_known_classes(members, data)
        self.margins_from_ = "new points" if again else "train"
        self.group_losses_: GroupLosses | None = None
        found, self.calibration_ = weigh_by_blocks(self, members, data, self._own_weights(members))
        self._remember_weights(members, found, self._stopped(), measured_on=self.margins_from_)
        return True

    def _own_weights(self, members: list[Any]) -> NDArray[np.float64]:
        """The weights that the ensemble gives its members itself, or equal ones."""
        own = getattr(self.ensemble_, "estimator_weights_", np.ones(len(members)))
        return own[: len(members)]

    def _stopped(self) -> str:
        listed = isinstance(self.ensemble_, NamedMembers)
        name = "the list" if listed else type(self.ensemble_).__name__
        return f"the members of {name} as they are."
