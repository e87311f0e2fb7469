"""Print pip constraints that hold the run-time dependencies at their lower bounds."""

import re
import tomllib
from pathlib import Path

LOWER_BOUND = re.compile(r"^\s*([A-Za-z0-9._-]+)\s*>=\s*([0-9][^,;\s]*)")


def oldest(pyproject: Path) -> list[str]:
    """Return `name==version` for every core, boost and plot requirement with a lower bound."""
    project = tomllib.loads(pyproject.read_text())["project"]
    extras = project["optional-dependencies"]
    matches = map(LOWER_BOUND.match, project["dependencies"] + extras["boost"] + extras["plot"])
    return [f"{found[1]}=={found[2]}" for found in matches if found]


if __name__ == "__main__":
    print("\n".join(oldest(Path(__file__).parent.parent / "pyproject.toml")))
