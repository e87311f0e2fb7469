"""The artificial study's figure: a block a learner, which it names."""

from dataclasses import replace

import pytest

from lexiprog_boost.datasets import GAUSSIAN_SETS
from lexiprog_boost.experiments.figures import STYLES, artificial_figure
from tests.lexiprog_boost.experiments.small_study import results, small_study

LEARNERS = {"C4.5": ({},), "kNN": ({},)}
SCORES = {"C4.5": 0.25, "kNN": 0.5}


def found(without=None):
    """Every method has its learner's score on two sets; of one learner a cell may be missing."""
    study = replace(
        small_study(*STYLES), name="artificial", learners=LEARNERS,
        datasets=tuple(spec.name for spec in GAUSSIAN_SETS[:2]),
    )  # fmt: skip
    whole = results(study, lambda cell, _: {"g_mean": SCORES[cell.learner], "auc": 0.5})
    kept = list(whole.records)
    if without:
        kept.remove(next(one for one in kept if one["learner"] == without))
    return replace(whole, records=kept)


def labels(figure):
    return [ax.get_xlabel() for ax in figure.axes if ax.get_xlabel().startswith("average")]


def test_every_learner_has_a_block_with_its_name_and_its_scores():
    figure = artificial_figure(found())
    assert [label.split(" (")[0] for label in labels(figure)] == [
        f"average G-Mean with {learner}, 2 data sets" for learner in LEARNERS
    ]
    drawn = {
        ax.get_ylabel(): {float(y) for line in ax.lines for y in line.get_ydata()}
        for ax in figure.axes
        if ax.get_ylabel()
    }
    assert drawn == {f"average G-Mean, {learner}": {SCORES[learner]} for learner in LEARNERS}


@pytest.mark.parametrize("missing", LEARNERS)
def test_a_learner_without_all_cells_of_a_set_is_drawn_from_the_others(missing):
    figure = artificial_figure(found(missing))
    (other,) = set(LEARNERS) - {missing}
    assert sum(f"{missing}, 1 data sets" in label for label in labels(figure)) == 1
    assert sum(f"{other}, 2 data sets" in label for label in labels(figure)) == 1


def test_another_study_has_no_such_figure():
    assert artificial_figure(replace(found(), study=small_study(*STYLES))) is None
