"""Hosted continuous integration calls the Makefile, on every system and Python we support."""

import re
import tomllib
from pathlib import Path

import pytest

from lexiprog import __version__

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
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
        more = job.get("strategy", {}).get("matrix", {}).get("include", ())
        found.update(entry["target"] for entry in more)
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_and_ends_and_calls_targets_that_exist(path):
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] > 0 for job in jobs(path).values())
    # Publishing alone may do more: show the package index who it is.
    more = {name: job["permissions"] for name, job in jobs(path).items() if "permissions" in job}
    assert more == ({"publish": {"id-token": "write"}} if path.stem == "release" else {})
    known = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    known |= set(re.search(r"^NIGHTLY := (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    pythons = re.search(r"^PYTHONS \?= (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    known |= {f"nightly-python-{python}" for python in pythons}
    assert targets(path)
    assert targets(path) <= known


def test_every_system_and_every_python_that_is_declared_is_tried():
    matrix = jobs(ROOT / ".github/workflows/ci.yml")["test"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    declared = {
        found[1]
        for line in PROJECT["classifiers"]
        if (found := re.search(r"Python :: (3\.\d+)$", line))
    }
    assert declared == set(matrix["python"])
    nightly = targets(ROOT / ".github/workflows/nightly.yml")
    assert {name.rpartition("-")[2] for name in nightly if "python" in name} == declared - {"3.11"}
    assert targets(ROOT / ".github/workflows/ci.yml") == {"lint", "test", "docs"}


def test_what_is_published_was_tried_on_every_system_and_python():
    release, ci = (jobs(ROOT / f".github/workflows/{name}.yml") for name in ("release", "ci"))
    assert release["try"]["strategy"]["matrix"] == ci["test"]["strategy"]["matrix"]
    assert (release["publish"]["needs"], release["try"]["needs"]) == ("try", "build")
    assert release["publish"]["if"] == "github.ref_type == 'tag'"


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    recipe = yaml.safe_load((ROOT / ".github/conda/recipe.yaml").read_text())
    assert recipe["context"]["version"] == __version__
    assert PROJECT["requires-python"] == f">={recipe['context']['python_min']}"
    asked = [re.match(r"(\w+)([^;]*)", line) for line in PROJECT["dependencies"]]
    wanted = {found[1]: found[2] for found in asked}
    optional = wanted.pop("ecos")  # GPL-3: everything runs without it
    wanted["cvxpy-base"] = wanted.pop("cvxpy")  # without the solvers that CVXPY brings along
    requirements = recipe["requirements"]
    given = dict(line.split(" ", 1) for line in requirements["run"])
    assert given.pop("python") == ">=${{ python_min }}"
    assert given == wanted
    constrained = dict(line.split(" ", 1) for line in requirements["run_constraints"])
    assert constrained.pop("ecos") == optional
    extra = [line.split(">=") for line in PROJECT["optional-dependencies"]["boost"]]
    assert constrained.items() <= {name: f">={least}" for name, least in extra}.items()
