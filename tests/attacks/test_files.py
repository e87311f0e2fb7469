"""Files that were changed, by accident or on purpose: a few by day, thousands by night."""

import json

import pytest

import lexiprog as lx
from tests.attacks import files

ATTACKS = [files.attack_digits, files.attack_malformed, files.attack_points]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_changed_file_is_refused_or_says_the_same(tmp_path, attack):
    attack(tmp_path, 100).check()


def test_half_characters_and_points_of_yes_and_no_are_refused(tmp_path):
    record, path = files.original(tmp_path), tmp_path / "odd.json"
    for change in ({"name": "\ud800"}, {"variables": "bool"}):
        changed = json.loads(json.dumps(record))
        for found in changed["solutions"]:
            if "name" in change:
                found |= change
            else:
                for array in found["variables"].values():
                    array["dtype"] = "bool"
        path.write_text(json.dumps(files.signed(changed)))
        with pytest.raises(lx.LexiprogError, match=r"odd\.json|does not fit"):
            lx.Result.load(path, files.Plant().program)


@pytest.mark.nightly
@pytest.mark.parametrize("attack", ATTACKS)
def test_thousands_of_changed_files_are_refused_or_say_the_same(tmp_path, attack):
    attack(tmp_path, 3000).check()
