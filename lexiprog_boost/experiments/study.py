"""A study: data sets, base learners, contenders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lexiprog_boost.experiments.cells.cell import Cell
from lexiprog_boost.experiments.cells.contenders import OWN, Contender, Setting

FOLDS = 5
# Studies of a handful of data sets: tests over the folds of each, as in the paper.
FEW_SETS = ("hyperspectral", "images")


@dataclass(frozen=True)
class Study:
    """One of the paper's experiments.

    Attributes
    ----------
    name : str
        As on the command line.
    datasets : tuple of str
        Names that `load` knows.
    learners : dict
        Settings of each base learner.
    contenders : tuple of Contender
        All of them, ranked or not.
    many_classes : bool
        Whether the paper leaves its two-class contenders out.
    choose : bool
        Whether settings are also chosen inside the training folds.
    folds : int
        How many of the five folds are measured.
    keep_predictions : bool
        Whether predicted labels are kept, for maps.
    quick : bool
        A smoke run: few sets, folds and settings.
    part : str
        One of `PARTS` if only some of the contenders are measured.
    file : path, optional
        The user's own table, in place of the paper's sets.
    """

    name: str
    datasets: tuple[str, ...]
    learners: dict[str, tuple[Setting, ...]]
    contenders: tuple[Contender, ...]
    many_classes: bool = False
    choose: bool = False
    folds: int = FOLDS
    keep_predictions: bool = False
    quick: bool = False
    part: str = ""
    file: Path | None = None

    @property
    def title(self) -> str:
        """The study's name with what is left of it: the name of its report."""
        return "-".join(word for word in (self.name, self.part, "quick" * self.quick) if word)

    @property
    def few_sets(self) -> bool:
        """Whether tests are over the folds of each set, as the paper's on scenes and images."""
        return self.name in FEW_SETS or len(self.datasets) < 2

    def cells(self) -> Iterator[Cell]:
        """Every cell, fold by fold, so that an interrupted run has whole folds."""
        for dataset in self.datasets:
            for fold in range(self.folds):
                for contender in self.contenders:
                    learners = [OWN] if contender.role == "rival" else list(self.learners)
                    for learner in learners:
                        yield Cell(self.name, dataset, learner, contender.name, fold)

    def settings(self, cell: Cell) -> list[Setting]:
        """All settings of the cell's contender and learner."""
        learners = self.learners.get(cell.learner, ({},))
        if self._contender(cell).role == "sweep":  # it answers for costs: one learner will do
            learners = learners[len(learners) // 2 :][:1]
        return list(self._contender(cell).settings(learners))

    def chooses(self, cell: Cell) -> bool:
        """Whether a setting is also chosen inside the training fold."""
        return self.choose and self._contender(cell).role != "sweep"

    def _contender(self, cell: Cell) -> Contender:
        return next(one for one in self.contenders if one.name == cell.contender)
