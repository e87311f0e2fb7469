"""A bar of the rounds, if it is wanted and can be had."""

import sys

from lexiprog_boost.pools.progress import rounds_shown


def test_the_bar_counts_the_rounds(capsys):
    with rounds_shown(4, "rounds of mine", verbose=1) as tick:
        for t in range(1, 5):
            tick(t, 0.5)
    shown = capsys.readouterr().err
    assert "rounds of mine" in shown
    assert "4/4" in shown


def test_without_a_wish_or_without_tqdm_nothing_is_shown(capsys, monkeypatch):
    for verbose in (0, 1):
        if verbose:
            monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        with rounds_shown(4, "rounds", verbose=verbose) as tick:
            tick(1, 0.5)
    assert capsys.readouterr().err == ""
