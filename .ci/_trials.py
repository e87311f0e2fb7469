"""Try a changed module: a copy of the source in which it stands, and its tests in a child process.

The parent imports what takes long (numpy, CVXPY, scikit-learn), never our own packages, and forks:
a child starts with all that in memory and imports ours from the copy.
"""

import contextlib
import doctest
import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("lexiprog", "lexiprog_boost")
HEAVY = ("cvxpy", "highspy", "clarabel", "scipy.optimize", "scipy.stats", "sklearn.ensemble",
         "sklearn.model_selection", "hypothesis", "pytest")  # fmt: skip
# Exit codes: an example of the module failed, and what pytest says of failed tests and of modules
# that can't be imported.
EXAMPLES, FAILED, INTERRUPTED = 10, 1, 2


def import_heavy() -> None:
    """Import what every child needs, as far as it is installed."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def copy_source(root: Path, to: Path) -> None:
    """Copy what tests need: both packages, the tests, and the settings of pytest."""
    leftovers = shutil.ignore_patterns("__pycache__", "results")
    for name in (*PACKAGES, "tests", "benchmarks", "docs"):
        if (root / name).exists():
            shutil.copytree(root / name, to / name, ignore=leftovers)
    shutil.copy(root / "pyproject.toml", to)
    subprocess.run([sys.executable, "-m", "compileall", "-q", *PACKAGES], cwd=to, check=True)


@dataclass(frozen=True)
class Trial:
    """Some tests in a copy of the source.

    Attributes
    ----------
    copy : path
        Of the source.
    tests : tuple of str
        Paths in it.
    times : path
        Where the times of the tests are kept.
    module : str
        Whose examples are run first, nothing for none.
    cpu, wall : float
        Seconds after which the child is stopped: its own, and on the wall.
    """

    copy: Path
    tests: tuple[str, ...]
    times: Path
    module: str = ""
    cpu: float = 600.0
    wall: float = 3600.0

    def of(self, copy: Path, module: str) -> "Trial":
        """The same tests for a module that was changed in a copy."""
        return replace(self, copy=copy, module=module)


class Order:
    """A plugin of pytest: quick files first, and inside a file quick tests first."""

    def __init__(self, path: Path):
        self.path = path
        self.known: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}
        self.seen: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list) -> None:
        """Sort by the times of the unchanged code."""
        files: dict[str, float] = {}
        for item in items:
            own = self.known.get(item.nodeid, 0.0)
            files[str(item.path)] = files.get(str(item.path), 0.0) + own
        items.sort(key=lambda item: (files[str(item.path)], str(item.path),
                                     self.known.get(item.nodeid, 0.0)))  # fmt: skip

    def pytest_runtest_logreport(self, report: object) -> None:
        """Add up a test's time."""
        self.seen[report.nodeid] = self.seen.get(report.nodeid, 0.0) + report.duration

    def save(self) -> None:
        """Keep the times for the trials to come."""
        self.path.write_text(json.dumps(self.seen))


def start(trial: Trial, *, first: bool = False) -> int:
    """Fork a child that runs the trial, and return its process id.

    The `first` run of some tests is that of the unchanged code: it keeps their times, and compiled
    files that later runs read. Those write none, or a changed module could be taken for another.
    """
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        log = os.open(trial.copy / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        code = _run(trial, first=first)
    except BaseException:  # noqa: BLE001 - whatever happens, the child must not go on as the parent
        traceback.print_exc()
    finally:
        os._exit(code)


def _run(trial: Trial, *, first: bool) -> int:
    import pytest

    seconds = int(trial.cpu) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    os.chdir(trial.copy)
    os.environ["PYTHONPATH"] = str(trial.copy)
    sys.path.insert(0, str(trial.copy))
    if Path(find_spec(PACKAGES[0]).origin).parent.parent != trial.copy:
        raise ImportError(f"{PACKAGES[0]} would not be imported from {trial.copy}.")
    sys.dont_write_bytecode = not first
    if not first:
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if trial.module:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        try:
            failed = doctest.testmod(importlib.import_module(trial.module), optionflags=flags)[0]
        except Exception:  # noqa: BLE001 - a module that can't be imported is found out too
            traceback.print_exc()
            return EXAMPLES
        if failed:
            return EXAMPLES
    order = Order(trial.times)
    options = [
        "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not nightly",
        # What the parent imported can't be rewritten for better messages; nobody reads them.
        "-W", "ignore::pytest.PytestAssertRewriteWarning",
    ]  # fmt: skip
    code = int(pytest.main([*options, *trial.tests], plugins=[order]))
    if first:
        order.save()
    return code


def ended(child: int, started: float, trial: Trial) -> tuple[str, float] | None:
    """Say how a child ended and what it cost in its own seconds; None while it runs."""
    late = time.monotonic() - started > trial.wall
    if late:
        stop(child)
    done, status, usage = os.wait4(child, 0 if late else os.WNOHANG)
    if not done:
        return None
    cpu = usage.ru_utime + usage.ru_stime
    stop(child)  # what a test left running ends with it
    if late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)):
        return "timed out", cpu
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else FAILED
    if code not in (0, EXAMPLES, FAILED, INTERRUPTED):
        said = (trial.copy / "log.txt").read_text()[-3000:]
        raise SystemExit(f"{' '.join(trial.tests)} could not be run:\n{said}")
    return ("killed" if code else "survived"), cpu


def run(trial: Trial, *, first: bool = False) -> tuple[str, float]:
    """Run a trial to its end."""
    started, child = time.monotonic(), start(trial, first=first)
    while (found := ended(child, started, trial)) is None:
        time.sleep(0.02)
    return found


def dotted(path: str) -> str:
    """The name under which a file of a package is imported."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def plant(copy: Path, path: str, source: str) -> None:
    """Put a module's source into a copy, and forget what was compiled from another."""
    place = copy / path
    for compiled in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
        compiled.unlink()
    place.write_text(source)


def stop(child: int) -> None:
    """End a child with all that its tests started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
