"""The table of rooms in CONTRIBUTING.md is that of `rooms.py`, and the targets it names exist."""

import re
from pathlib import Path

import pytest

from tests.house.room_table import CONTRIBUTING, PACKAGES, table, with_tables
from tests.house.rooms import Room

ROOT = Path(__file__).parents[2]
TEXT = CONTRIBUTING.read_text()


def test_the_rooms_are_those_that_the_architecture_test_enforces():
    assert with_tables(TEXT) == TEXT, "run `python -m tests.house.room_table`"


def test_a_room_that_changed_is_noticed():
    room = PACKAGES["lexiprog"][0]
    changed = TEXT.replace(f"| {room.does} |", "| something else |")
    assert with_tables(changed) == TEXT != changed


def test_the_table_numbers_the_rooms_and_says_what_each_may_import():
    rooms = [Room("errors status", "words", "errors.py"), Room("forms/", "numbers", "cones.py")]
    rows = table("pkg", [*rooms, Room("last/", "end", "end.py")]).splitlines()[2:]
    assert rows == [
        "| 1 | `errors`, `status` | words | - | [errors.py](pkg/errors.py) |",
        "| 2 | `forms/` | numbers | 1 | [cones.py](pkg/forms/cones.py) |",
        "| 3 | `last/` | end | 1 to 2 | [end.py](pkg/last/end.py) |",
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_is_there_with_its_entry(package):
    for room in PACKAGES[package]:
        inside = ROOT / package / (room.name if room.name.endswith("/") else "")
        assert (inside / room.entry).is_file(), f"{package}: {room.name} has no {room.entry}"


def test_every_target_of_the_makefile_is_explained_and_exists():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    targets = {name for name in phony[1].split() if name.isalpha()} - {"help"}
    explained = set(re.findall(r"^make ([a-z]+)", TEXT, re.MULTILINE))
    assert explained == targets
    helped = set(re.findall(r'@echo "make ([a-z]+)', makefile))
    assert helped == targets
