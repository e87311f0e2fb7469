"""Print pip constraints that hold the run-time dependencies at their lower bounds."""

import re
import tomllib
from pathlib import Path

EXTRAS = ("boost", "plot", "exact")
LOWER_BOUND = re.compile(r"^\s*([A-Za-z0-9._-]+)\s*>=\s*([0-9][^,;\s]*)")


def oldest(pyproject: Path) -> list[str]:
    """Return `name==version` for every lower bound of the core and of the extras tested with it."""
    project = tomllib.loads(pyproject.read_text())["project"]
    extras = project["optional-dependencies"]
    tested = project["dependencies"] + [name for extra in EXTRAS for name in extras[extra]]
    matches = map(LOWER_BOUND.match, tested)
    return [f"{found[1]}=={found[2]}" for found in matches if found]


if __name__ == "__main__":
    print("\n".join(oldest(Path(__file__).parent.parent / "pyproject.toml")))
