"""Files that were changed, by accident or on purpose: a few by day, thousands by night."""

import pytest

from tests.attacks import files

ATTACKS = [files.attack_digits, files.attack_malformed, files.attack_points]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_changed_file_is_refused_or_says_the_same(tmp_path, attack):
    attack(tmp_path, 100).check()


@pytest.mark.nightly
@pytest.mark.parametrize("attack", ATTACKS)
def test_thousands_of_changed_files_are_refused_or_say_the_same(tmp_path, attack):
    attack(tmp_path, 3000).check()
