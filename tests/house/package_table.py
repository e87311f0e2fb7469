"""The tables of packages that CONTRIBUTING.md shows, made from `packages.py`.

`python -m tests.house.package_table` writes them there again.
"""

from pathlib import Path

from tests.house.layers import Layers
from tests.house.packages import BOOST, ENGINE, Package

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
LAYERS = {"lexiprog": ENGINE, "lexiprog_boost": BOOST}
END = "<!-- end -->"
HEAD = "| layer | package | what it does | begin with |\n|---|---|---|---|\n"


def table(top: str, layers: Layers) -> str:
    """A row a package, in order; those with one number are siblings."""
    return HEAD + "".join(
        _row(top, number, package) for number, layer in enumerate(layers, 1) for package in layer
    )


def _row(top: str, number: int, package: Package) -> str:
    is_folder = package.name.endswith("/")
    names = ", ".join(f"`{name}`" for name in package.name.split())
    path = f"{top}/{package.name if is_folder else ''}{package.entry}"
    return f"| {number} | {names} | {package.does} | [{package.entry}]({path}) |\n"


def with_tables(text: str) -> str:
    """Put the tables between the marks that CONTRIBUTING.md has for them."""
    for top, layers in LAYERS.items():
        mark = f"<!-- layers of {top} -->\n"
        if text.count(mark) != 1:
            raise ValueError(f"CONTRIBUTING.md needs one line {mark.strip()!r} for the table.")
        before, _, after = text.partition(mark)
        text = before + mark + table(top, layers) + after[after.index(END) :]
    return text


if __name__ == "__main__":
    CONTRIBUTING.write_text(with_tables(CONTRIBUTING.read_text()))
