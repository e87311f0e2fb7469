"""Arrows beside the rows."""

from lexiprog.display.diagram import TRACKS, Lane, find_lanes, gutter, width


def test_a_row_that_is_used_opens_a_lane_to_all_its_readers():
    assert find_lanes([[], [0], [0]]) == [Lane(track=0, source=0, readers=(1, 2))]


def test_lanes_side_by_side_take_different_tracks_and_ended_ones_are_taken_again():
    lanes = find_lanes([[], [], [0, 1], [], [3]])
    assert [lane.track for lane in lanes] == [0, 1, 0]


def test_more_lanes_than_tracks_share_the_last():
    count = TRACKS + 3
    lanes = find_lanes([[]] * count + [range(count)])
    assert [lane.track for lane in lanes] == [*range(TRACKS), *[TRACKS - 1] * 3]
    assert gutter(lanes, count).count("<path") == TRACKS


def test_rows_without_arrows_need_no_gutter():
    assert find_lanes([[], []]) == []
    assert width([]) == 0
    assert gutter([], 0) == ""
