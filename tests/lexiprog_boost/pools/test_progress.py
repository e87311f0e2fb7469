"""A bar of the rounds, if it is wanted and can be had."""

import sys

from lexiprog_boost.pools.pool import bar_kind, rounds_shown


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


def test_a_bar_in_a_notebook_without_widgets_warns_of_nothing(tmp_path, monkeypatch):
    # What tqdm does there, whatever else its version looks at.
    (tmp_path / "tqdm").mkdir()
    (tmp_path / "tqdm" / "__init__.py").touch()
    (tmp_path / "tqdm" / "auto.py").write_text(
        "import warnings\n"
        "warnings.warn('IProgress not found. Please update jupyter and ipywidgets.')\n"
        "tqdm = 'letters'\n"
    )
    for name in [one for one in sys.modules if one.partition(".")[0] == "tqdm"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    assert bar_kind() == "letters"  # a warning would be an error
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.delitem(sys.modules, name)
