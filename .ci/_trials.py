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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from _probes import Probes
from _reach import Recorder, file_of

PACKAGES = ("lexiprog", "lexiprog_boost")
HEAVY = ("cvxpy", "highspy", "clarabel", "scipy.optimize", "scipy.stats", "sklearn.ensemble",
         "sklearn.model_selection", "hypothesis", "pytest")  # fmt: skip
# Exit codes: an example of the module failed, and what pytest says of failed tests and of modules
# that can't be imported.
EXAMPLES, FAILED, INTERRUPTED = 10, 1, 2
OPTIONS = (
    "-q", "-p", "no:cacheprovider", "-m", "not slow and not nightly",
    # What the parent imported can't be rewritten for better messages; nobody reads them.
    "-W", "ignore::pytest.PytestAssertRewriteWarning",
)  # fmt: skip


def import_heavy() -> None:
    """Import what every child needs, as far as it is installed."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def copy_source(root: Path, to: Path) -> None:
    """Copy what tests need: both packages, the tests, and the settings of pytest."""
    measured = ("results",)  # of benchmarks; lexiprog has a package of this name
    for name in (*PACKAGES, "tests", "benchmarks", "docs"):
        if (root / name).exists():
            left = ("__pycache__", *(measured if name == "benchmarks" else ()))
            shutil.copytree(root / name, to / name, ignore=shutil.ignore_patterns(*left))
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
        Tests in the order in which they are tried, or with `measured` whole files.
    module : str
        Whose examples are run first, nothing for none.
    cpu, wall : float
        Seconds after which the child is stopped: its own, and on the wall.
    measured : bool
        Whether to keep what each test runs through.
    """

    copy: Path
    tests: tuple[str, ...]
    module: str = ""
    cpu: float = 3600.0
    wall: float = 7200.0
    measured: bool = False

    @property
    def measurements(self) -> Path:
        """Where a child leaves what it measured."""
        return self.copy / "reach.json"

    @property
    def killer(self) -> Path:
        """Where a child leaves the name of the test that failed."""
        return self.copy / "killer.txt"


class Chosen:
    """A plugin of pytest: these tests in this order, and the name of the one that fails."""

    def __init__(self, tests: Sequence[str], killer: Path):
        self.killer = killer
        self.place = {test: k for k, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list) -> None:
        """Leave the others out."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name for those who look for an order that is quicker."""
        if report.failed:
            self.killer.write_text(report.nodeid)


def forked(trial: Trial, job: Callable[[], int]) -> int:
    """Fork a child that does a job and ends with its code, and return its process id."""
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
        code = job()
    except BaseException:  # noqa: BLE001 - whatever happens, the child must not go on as the parent
        traceback.print_exc()
    finally:
        os._exit(code)


def start(trial: Trial) -> int:
    """Fork a child that runs the trial, and return its process id."""
    return forked(trial, lambda: _run(trial))


def limit(trial: Trial) -> None:
    """Let the processor end this process when its time is over."""
    seconds = int(trial.cpu) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def enter(copy: Path) -> None:
    """Import our packages from a copy from now on, and leave nothing compiled there."""
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy)
    sys.path.insert(0, str(copy))
    if Path(find_spec(PACKAGES[0]).origin).parent.parent != copy:
        raise ImportError(f"{PACKAGES[0]} would not be imported from {copy}.")
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def _run(trial: Trial) -> int:
    limit(trial)
    enter(trial.copy)
    if trial.measured:
        return _measured(trial)
    trial.killer.unlink(missing_ok=True)
    if trial.module and not examples_hold(trial.module):
        return EXAMPLES
    for files, tests in portions(trial.tests):
        code = int(pytest.main([*OPTIONS, "-x", *files], plugins=[Chosen(tests, trial.killer)]))
        if code:
            return code
    return 0


def portions(tests: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Tests with their files, few at a time: most mutants are found by the first portion.

    Examples
    --------
    >>> [len(files) for files, _ in portions([f"{file}::test" for file in "abcdefgh"])]
    [1, 2, 4, 1]
    """
    most, files, own = 1, [], []
    for test in tests:
        file = file_of(test)
        if file not in files:
            if len(files) == most:
                yield files, own
                most, files, own = 2 * most, [], []
            files.append(file)
        own.append(test)
    if own:
        yield files, own


def _measured(trial: Trial) -> int:
    probes = Probes(trial.copy, PACKAGES)
    probes.install()
    recorder = Recorder(probes)
    code = int(pytest.main([*OPTIONS, *trial.tests], plugins=[recorder]))
    if code == FAILED and recorder.failed:
        # Beside other work a test may miss a limit of time; what fails twice is wrong.
        code = int(pytest.main([*OPTIONS, "-x", *recorder.failed], plugins=[recorder]))
    trial.measurements.write_text(json.dumps(recorder.found()))
    # A file whose tests are all slow ones is no failure.
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def examples_hold(module: str) -> bool:
    """Whether the examples in a module's docstrings give what they show."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    try:
        return not doctest.testmod(importlib.import_module(module), optionflags=flags)[0]
    except Exception:  # noqa: BLE001 - a module that can't be imported is found out too
        traceback.print_exc()
        return False


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
        raise SystemExit(f"the tests of {trial.module} could not be run:\n{said}")
    return ("killed" if code else "survived"), cpu


def run(trial: Trial, begin: Callable[[Trial], int] = start) -> tuple[str, float]:
    """Run a trial to its end."""
    started, child = time.monotonic(), begin(trial)
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
