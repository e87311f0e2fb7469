"""What screening asks its solver: which points get a hinge, and what the others lose."""

import numpy as np
import pytest

from lexiprog_boost.programs import check_inputs
from lexiprog_boost.reductions import solve_screened
from lexiprog_boost.reductions.screening import settle


class Noted:
    """A solver that answers with given weights, the last one for ever, and keeps the questions."""

    def __init__(self, *answers):
        self.answers = [np.array(one, dtype=float) for one in answers]
        self.asked = []

    def __call__(self, hinges, linear):
        self.asked.append((hinges, linear))
        k = min(len(self.asked), len(self.answers)) - 1
        return f"answer {k}", self.answers[k]

    @property
    def sizes(self):
        return [len(hinges.codes) for hinges, _ in self.asked]


def test_the_nearest_points_have_hinges_and_the_others_lose_by_their_side():
    margins = [[0.9], [0.6], [0.45], [0.1], [-0.5], [0.2]]
    inputs = check_inputs(margins, list("aaaaab"), margin_target=0.5, class_costs=[1.0, 7.0])
    solve = Noted([1.0])
    found = settle(inputs, solve, np.array([1.0]), 2)
    assert (found.found, found.rounds, found.alpha.tolist()) == ("answer 0", 1, [1.0])
    assert found.hinges.margins[:, 0].tolist() == [0.6, 0.45]
    assert found.hinges.codes.tolist() == [0, 0]
    assert found.hinges.weights == pytest.approx([0.2, 0.2])
    assert found.hinges.costs.tolist() == [1.0, 7.0]
    # 0.1 and -0.5 of five points of a, 0.2 alone in b; 0.9 loses nothing.
    assert found.linear.constants == pytest.approx([0.5 * 2 / 5, 0.5])
    assert found.linear.slopes[:, 0] == pytest.approx([(0.1 - 0.5) / 5, 0.2])
    # At any weights on the right sides, hinges and lines together are the losses of all points.
    for alpha in (np.array([1.0]), np.array([0.95])):
        parts = found.hinges.losses(alpha) + found.linear.constants - found.linear.slopes @ alpha
        assert parts == pytest.approx(inputs.losses(alpha))


def test_points_that_change_sides_get_a_hinge_and_those_that_reach_theta_do_not():
    margins = [[0.9, 0.1], [0.8, 0.5], [0.1, 0.9], [0.2, 0.5], [0.7, 0.9], [0.3, 0.3]]
    inputs = check_inputs(margins, [0, 0, 0, 1, 1, 1], margin_target=0.5)
    solve = Noted([0, 1], [0, 1])
    found = settle(inputs, solve, np.array([1.0, 0.0]), 0)
    assert found.rounds == 2
    assert found.found == "answer 1"
    assert solve.sizes == [0, 2]
    assert found.hinges.margins.tolist() == [margins[0], margins[2]]
    # Of the points that began below, the third has a hinge now, and two lose by their lines.
    assert solve.asked[0][1].constants == pytest.approx([0.5 / 3, 0.5 * 2 / 3])
    assert found.linear.constants == pytest.approx([0.0, 0.5 * 2 / 3])
    assert found.linear.slopes[1] == pytest.approx([(0.2 + 0.3) / 3, (0.5 + 0.3) / 3])


def test_hinges_are_kept_from_round_to_round():
    """Each answer takes another point to its other side; the first ones come back to theirs."""
    margins = np.eye(3)
    inputs = check_inputs(np.vstack([margins, margins]), [0, 0, 0, 1, 1, 1], margin_target=0.5)
    solve = Noted([0, 1, 0], [0, 0, 1], [1, 0, 0])
    found = settle(inputs, solve, np.array([1.0, 0.0, 0.0]), 0)
    assert solve.sizes == [0, 4, 6]
    assert found.rounds == 3


def inputs_of(points, members=1):
    """Points far from theta on both sides, three of four in the first class."""
    margins = np.where(np.arange(points) % 8 < 4, 1.0, -1.0)[:, None] * np.ones(members)
    return check_inputs(margins, np.arange(points) % 4 == 3, margin_target=0.5)


def test_samples_grow_by_four_with_hinges_for_twice_the_expected_error():
    """Weights from k points are off by sqrt(1 / k): 48, then 192 and 768 points, then all."""
    rough, solve = Noted([1.0]), Noted([1.0])
    found = solve_screened(inputs_of(4000), solve, rough=rough)
    expected = [48, 192 * 2 * 48**-0.5, 768 * 2 * 192**-0.5, 3072 * 2 * 768**-0.5]
    # 3072 points, half of each class, are more than the second class has.
    last = (1000 + 1536) / 3072
    expected[3] *= last
    expected.append(4000 * 2 * (1000 + 1536) ** -0.5)
    assert rough.sizes == [int(one) for one in expected]
    assert solve.sizes == [4]
    assert found.rounds == 1


def test_a_sample_has_as_many_points_of_each_class_and_their_weights_sum_to_one():
    rough = Noted([1.0])
    solve_screened(inputs_of(400), Noted([1.0]), rough=rough)
    first = rough.asked[0][0]
    assert np.bincount(first.codes).tolist() == [24, 24]
    assert first.weights == pytest.approx(np.full(48, 1 / 24))


def test_without_a_rough_solver_the_exact_one_sees_the_samples():
    solve = Noted([1.0])
    solve_screened(inputs_of(100), solve)
    assert solve.sizes == [48, int(100 * 2 * 48**-0.5)]


def test_few_points_are_solved_at_once_with_a_hinge_each():
    """48 points of one member are no more than a first sample."""
    rough, solve = Noted([1.0]), Noted([1.0])
    solve_screened(inputs_of(48), solve, rough=rough)
    assert (rough.sizes, solve.sizes) == ([48], [4])


def test_as_few_as_four_points_a_member_are_not_asked_about_roughly():
    rough, solve = Noted([0.5, 0.5]), Noted([0.5, 0.5])
    solve_screened(inputs_of(8, members=2), solve, rough=rough)
    assert (rough.sizes, solve.sizes) == ([], [8])


def test_a_class_of_few_points_is_in_every_sample_and_points_without_weight_in_none():
    margins = np.ones((200, 1))
    labels = np.arange(200) == 7
    weight = np.where(np.arange(200) % 2 == 0, 0.0, 1.0)
    rough = Noted([1.0])
    solve_screened(check_inputs(margins, labels, sample_weight=weight, margin_target=0.5),
                   Noted([1.0]), rough=rough)  # fmt: skip
    first = rough.asked[0][0]
    assert np.bincount(first.codes).tolist() == [24, 1]
    assert (first.weights > 0).all()
