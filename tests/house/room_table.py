"""The table of rooms that CONTRIBUTING.md shows, made from `rooms.py`.

`python -m tests.house.room_table` writes it there again.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.house.rooms import BOOST, ENGINE, Room

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
PACKAGES = {"lexiprog": ENGINE, "lexiprog_boost": BOOST}
END = "<!-- end -->"
HEAD = "| | room | what it does | may import | begin with |\n|---|---|---|---|---|\n"


def table(package: str, rooms: Sequence[Room]) -> str:
    """A row a room, in order; rooms are called by their numbers in "may import"."""
    return HEAD + "".join(_row(package, number, rooms) for number in range(1, len(rooms) + 1))


def _row(package: str, number: int, rooms: Sequence[Room]) -> str:
    room = rooms[number - 1]
    is_folder = room.name.endswith("/")
    names = ", ".join(f"`{name}`" for name in room.name.split())
    path = f"{package}/{room.name if is_folder else ''}{room.entry}"
    cells = (str(number), names, room.does, _above(number), f"[{room.entry}]({path})")
    return f"| {' | '.join(cells)} |\n"


def _above(number: int) -> str:
    """The numbers of the rooms that a room may import."""
    return {1: "-", 2: "1"}.get(number, f"1 to {number - 1}")


def with_tables(text: str) -> str:
    """Put the tables between the marks that CONTRIBUTING.md has for them."""
    for package, rooms in PACKAGES.items():
        mark = f"<!-- rooms of {package} -->\n"
        if text.count(mark) != 1:
            raise ValueError(f"CONTRIBUTING.md needs one line {mark.strip()!r} for the table.")
        before, _, after = text.partition(mark)
        text = before + mark + table(package, rooms) + after[after.index(END) :]
    return text


if __name__ == "__main__":
    CONTRIBUTING.write_text(with_tables(CONTRIBUTING.read_text()))
