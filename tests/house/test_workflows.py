"""Hosted continuous integration calls the Makefile, on every system and Python we support."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()


def jobs(path: Path) -> dict:
    return yaml.safe_load(path.read_text())["jobs"]


def targets(path: Path) -> set[str]:
    """The targets of the Makefile that a workflow names, those of its matrices included."""
    found: set[str] = set()
    for job in jobs(path).values():
        found.update(job.get("strategy", {}).get("matrix", {}).get("target", ()))
        for step in job["steps"]:
            found.update(re.findall(r"^make ([a-z-]+)", step.get("run", ""), re.MULTILINE))
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_and_ends_and_calls_targets_that_exist(path):
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] > 0 for job in jobs(path).values())
    known = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    known |= set(re.search(r"^NIGHTLY := (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    assert targets(path)
    assert targets(path) <= known


def test_every_system_and_every_python_that_is_declared_is_tried():
    matrix = jobs(ROOT / ".github/workflows/ci.yml")["test"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        found[1]
        for line in project["classifiers"]
        if (found := re.search(r"Python :: (3\.\d+)$", line))
    }
    assert declared
    assert declared <= set(matrix["python"])
    assert targets(ROOT / ".github/workflows/ci.yml") == {"lint", "test", "docs"}
