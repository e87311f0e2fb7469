"""The built wheel, in an environment that has nothing else: what a user gets from `pip install`."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lexiprog import __version__ as VERSION

# The tests run in the order written: the engine is tried before scikit-learn is there, and the
# last one takes away a solver.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXPERIMENTS = "lexiprog_boost/experiments/"  # run in a clone, so not in the wheel

SOLVE_A_TINY_PROGRAM = """
import importlib.util, sys
import cvxpy as cp
import lexiprog as lx

assert importlib.util.find_spec("sklearn") is None, "the engine must not bring scikit-learn"
x = cp.Variable(2, nonneg=True)
first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), [x[0] + 2 * x[1] >= 4])
second = lx.Subproblem("second", cp.Maximize(x[0]), [cp.sum(x) <= first.optimum + 1])
result = lx.Program(lx.Stage("one", first), lx.Stage("two", second)).solve()
print(lx.__version__, round(result["first"].value, 6), round(result["second"].value, 6))
"""

# By hand: the least sum is 2, the least square 16/5, the shortest way to (3, 4) is 5.
SOLVE_WITHOUT_ECOS = """
import importlib.util
import cvxpy as cp
import lexiprog as lx
from lexiprog.backends.solver import default_fallbacks

assert importlib.util.find_spec("ecos") is None, "ecos was to be removed"
x = cp.Variable(2, nonneg=True)
cover = [x[0] + 2 * x[1] >= 4]
linear = lx.Subproblem("linear", cp.Minimize(cp.sum(x)), cover)
square = lx.Subproblem("square", cp.Minimize(cp.sum_squares(x)), cover)
cone = lx.Subproblem("cone", cp.Minimize(cp.norm(x)), [x[0] == 3, x[1] == 4])
for subproblem in (linear, square, cone):
    names = {solver.name for solver in default_fallbacks(subproblem.kind)}
    assert names and names <= set(cp.installed_solvers()), f"{names} are asked"
result = lx.Program(lx.Stage("all", linear, square, cone)).solve()
print(*(round(solution.value, 6) for solution in result.values()))
"""

# Of the solvers that come with the engine, only ECOS takes integers and cones.
INTEGER_CONE_WITHOUT_ECOS = """
import cvxpy as cp
import lexiprog as lx

x = cp.Variable(2, integer=True)
cone = lx.Subproblem("whole", cp.Minimize(cp.norm(x)), [x[0] >= 2.5])
found = lx.Program(lx.Stage("all", cone)).solve()["whole"]
print(found.status, found.value)
"""


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done


def tracked() -> list[str]:
    """Name what git would commit; nothing where there is no git to ask."""
    if shutil.which("git") is None:
        return []
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()


def copy_source(to: Path) -> None:
    """Copy what git would commit, so that the build finds no leftovers; without git, all of it."""
    for name in tracked():
        if (ROOT / name).is_file():  # a deleted file is listed until the deletion is committed
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, to / name)
    if not (to / "pyproject.toml").exists():
        leftovers = shutil.ignore_patterns(".venv*", "build", "dist", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, to, ignore=leftovers, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def dist(tmp_path_factory) -> Path:
    """A folder with the sdist and the wheel that is built from it."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    copy_source(source)
    run(sys.executable, "-m", "build", "--outdir", out, source, cwd=source)
    return out


@pytest.fixture(scope="module")
def wheel(dist) -> Path:
    (built,) = dist.glob("*.whl")
    return built


class Environment:
    """An empty virtual environment. The tests' own pip fills it, so it need not hold one."""

    def __init__(self, path: Path):
        self.path = path
        self.python = path / "bin" / "python"
        run(sys.executable, "-m", "venv", "--without-pip", path, cwd=path.parent)

    def pip(self, *arguments: str) -> None:
        run(sys.executable, "-m", "pip", "--python", self.python, *arguments, cwd=self.path)

    def install(self, requirement: str) -> None:
        self.pip("install", "--quiet", "--no-compile", requirement)

    def execute(self, code: str) -> subprocess.CompletedProcess[str]:
        # Isolated mode: neither the working directory nor PYTHONPATH can lend a module.
        command = [str(self.python), "-I", "-c", code]
        return subprocess.run(command, cwd=self.path, capture_output=True, text=True)


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("empty") / "venv")
    made.install(str(wheel))
    return made


def test_wheel_holds_both_packages_and_says_they_are_typed(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"lexiprog", "lexiprog_boost", f"lexiprog-{VERSION}.dist-info"}
    assert {"lexiprog/py.typed", "lexiprog_boost/py.typed"} <= set(names)
    for package in ("lexiprog", "lexiprog_boost"):
        files = [path for path in (ROOT / package).rglob("*.*") if "__pycache__" not in path.parts]
        present = {path.relative_to(ROOT).as_posix() for path in files}
        left_out = {name for name in present if name.startswith(EXPERIMENTS)}
        assert present - set(names) == left_out


def test_wheel_and_sdist_are_small(dist, wheel):
    (sdist,) = dist.glob("*.tar.gz")
    assert wheel.stat().st_size < 1e6
    assert sdist.stat().st_size < 4e6


def test_engine_solves_without_scikit_learn(environment):
    done = environment.execute(SOLVE_A_TINY_PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [VERSION, "2.0", "3.0"]


def test_the_command_solves_a_file_in_an_empty_environment(environment):
    plan, page = environment.path / "plan.lp", environment.path / "report.html"
    plan.write_text("min\n cost: 2 x + y\nst\n demand: x + y >= 3\n grid: y <= 1\nend\n")
    command = [str(environment.path / "bin" / "lexiprog"), str(plan), "--html", str(page)]
    done = subprocess.run([*command, "--quiet", "--values"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "x = 2\ny = 1\n"
    assert "plan.lp" in page.read_text()


def test_boost_without_scikit_learn_names_the_extra(environment):
    done = environment.execute("import lexiprog_boost")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == (
        "ImportError: lexiprog_boost needs scikit-learn: pip install 'lexiprog[boost]'"
    )


def test_boost_imports_with_its_extra(environment, wheel):
    environment.install(f"lexiprog[boost] @ {wheel.as_uri()}")
    done = environment.execute("import lexiprog_boost; print(lexiprog_boost.__version__)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [VERSION]


def test_engine_solves_without_ecos(environment):
    environment.pip("uninstall", "--quiet", "--yes", "ecos")
    done = environment.execute(SOLVE_WITHOUT_ECOS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2.0", "3.2", "5.0"]


def test_integers_on_cones_need_no_ecos(environment):
    done = environment.execute(INTEGER_CONE_WITHOUT_ECOS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["optimal", "3.0"]
