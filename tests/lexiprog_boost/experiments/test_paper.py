"""The paper's printed figures were copied without slips."""

import pytest

from lexiprog_boost.experiments.rank_tables import CONTROLS, printed
from lexiprog_boost.experiments.studies import STUDIES

BLOCKS = [
    (study, learner, metric)
    for study in ("keel-two-class", "keel-multi-class", "hyperspectral", "images")
    for learner in STUDIES[study].learners
    for metric in ("g_mean", "auc")
    if study.startswith("keel") or learner == "kNN"  # C4.5 is in the supplement there
]


@pytest.mark.parametrize("block", BLOCKS)
def test_ranks_sum_to_what_ranks_sum_to(block):
    ranks = printed(*block).ranks
    k = len(ranks)
    assert sum(ranks.values()) == pytest.approx(k * (k + 1) / 2, abs=0.02)


@pytest.mark.parametrize("block", BLOCKS)
def test_names_are_those_of_our_methods(block):
    ours = [one.name for one in STUDIES[block[0]].methods if one.role == "paper"]
    assert list(printed(*block).ranks) == ours


# The paper's own slip: a win and two ties from one side, two losses and a tie from the other.
DISAGREE = ("images", "kNN", "auc")


@pytest.mark.parametrize("block", [block for block in BLOCKS if block != DISAGREE])
def test_both_controls_agree_about_each_other(block):
    one, other = CONTROLS
    paper = printed(*block)
    if paper.signed_rank:
        assert paper.signed_rank[one][other] == paper.signed_rank[other][one]
        assert set(paper.signed_rank[one]) == set(paper.ranks) - {one}
    else:
        assert paper.win_tie_loss[one][other] == paper.win_tie_loss[other][one][::-1]


@pytest.mark.parametrize("block", [block for block in BLOCKS if printed(*block).win_tie_loss])
def test_counts_are_of_the_same_number_of_sets(block):
    counts = printed(*block).win_tie_loss
    assert len({sum(found) for row in counts.values() for found in row.values()}) == 1


def test_a_study_without_printed_figures_has_none():
    assert printed("artificial", "kNN", "auc") is None
