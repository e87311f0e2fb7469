"""Print the size and shape of the code; ``tests/house/test_size.py`` keeps them from growing.

`make house` takes about a minute. The limits are those of ``tests/house/size_limits.py``. Counted:

modules
    Files of a package, ``__init__`` left out.
lines of code
    Physical lines of all files, ``__init__`` included, that are neither blank, nor a comment alone,
    nor part of a docstring. Import lines are those of imports at the top level of a module.
walked
    Modules and functions (named ones: no lambda, no comprehension) that are called while the whole
    first example of docs/index.md runs: declared, solved, printed. For lexiprog_boost, while
    ``LexiEnsembleClassifier`` is fitted, in both packages. What runs at import does not count.
import
    Processor time, user and system, above that of importing cvxpy (and sklearn), best of five each.
complexity
    1, and 1 for each ``if``, loop, handler, ``else`` of a loop, ``case``, comprehension and its
    conditions, ``and`` and ``or``. (ruff's C901 counts statements only.) An inner function is
    counted by itself.
long functions and files
    Physical lines from ``def`` to the end without the docstring; physical lines of a file.
small modules
    Below 80 physical lines and imported by a single other file of the package.
tests
    Calls of ``monkeypatch.setattr``; underscore names imported from the packages; test files that
    import other modules than the public ones.
"""

import argparse
import ast
import contextlib
import inspect
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType

from tests.house.layers import edges, imports, parsed, sources
from tests.house.size_limits import LIMITS, PUBLIC
from tests.house.snippets import snippets

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"engine": "lexiprog", "boost": "lexiprog_boost"}
MOST_COMPLEX, LONGEST_FUNCTION, LONGEST_FILE, SMALL = 15, 60, 600, 80
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
BRANCH = (
    ast.If | ast.IfExp | ast.For | ast.AsyncFor | ast.While | ast.ExceptHandler | ast.match_case
)
FIT = """
from sklearn.datasets import make_classification
from lexiprog_boost import LexiEnsembleClassifier
X, y = make_classification(600, weights=[0.9], n_informative=5, random_state=0)
LexiEnsembleClassifier(random_state=0).fit(X, y)
"""


def span(node: ast.stmt) -> range:
    """Physical lines of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def docstring(node: ast.AST) -> range:
    """Physical lines of what a node's docstring is, if it has one."""
    documented = FUNCTION | ast.ClassDef | ast.Module
    if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
        return span(node.body[0])
    return range(0)


def code_lines(source: str) -> int:
    """Lines that are neither blank, nor a comment alone, nor part of a docstring."""
    written = {
        number
        for number, line in enumerate(source.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    return len(written.difference(*map(docstring, ast.walk(parsed(source)))))


def import_lines(source: str) -> int:
    """Lines of the imports at the top level of a module."""
    top = (node for node in parsed(source).body if isinstance(node, ast.Import | ast.ImportFrom))
    return sum(len(span(node)) for node in top)


def functions(
    node: ast.AST, prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function below a node with its qualified name, methods and inner functions included."""
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, FUNCTION | ast.ClassDef):
            inner = f"{prefix}{child.name}."
        if isinstance(child, FUNCTION):
            yield prefix + child.name, child
        yield from functions(child, inner)


def complexity(node: ast.AST) -> int:
    """Cyclomatic complexity of a function, its inner functions and classes left out."""
    count = int(isinstance(node, FUNCTION))
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTION | ast.ClassDef):
            continue
        count += isinstance(child, BRANCH)
        count += isinstance(child, ast.For | ast.While) and bool(child.orelse)
        if isinstance(child, ast.comprehension):
            count += 1 + len(child.ifs)
        elif isinstance(child, ast.BoolOp):
            count += len(child.values) - 1
        count += complexity(child)
    return count


def small_modules(package: str, modules: Mapping[str, str]) -> dict[str, int]:
    """Modules below 80 lines that one other file imports, with their lines."""
    users: dict[str, set[str]] = {module: set() for module in modules}
    for module, goal, _ in edges(package, modules):
        if module != goal and goal in users:
            users[goal].add(module)
    lengths = {module: len(source.splitlines()) for module, source in modules.items()}
    return {
        module: lengths[module]
        for module, by in users.items()
        if lengths[module] < SMALL and len(by) == 1 and not module.endswith("__init__")
    }


def beyond(package: str, modules: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """What is beyond a rule of shape, kind by kind: its place and its number."""
    found: dict[str, dict[str, int]] = {
        "complex functions": {}, "long functions": {}, "long files": {}, "small modules": {}
    }  # fmt: skip
    for module, source in modules.items():
        file = f"{package}/{module}.py"
        for name, function in functions(parsed(source)):
            if (number := complexity(function)) > MOST_COMPLEX:
                found["complex functions"][f"{file}:{name}"] = number
            if (number := len(span(function)) - len(docstring(function))) > LONGEST_FUNCTION:
                found["long functions"][f"{file}:{name}"] = number
        if (number := len(source.splitlines())) > LONGEST_FILE:
            found["long files"][file] = number
    for module, number in small_modules(package, modules).items():
        found["small modules"][f"{package}/{module}.py"] = number
    return found


def sizes(modules: Mapping[str, str]) -> dict[str, float]:
    """Modules, lines of code and the percentage of them that import."""
    lines = sum(map(code_lines, modules.values()))
    return {
        "modules": sum(not module.endswith("__init__") for module in modules),
        "lines of code": lines,
        "import lines, %": round(100 * sum(map(import_lines, modules.values())) / lines, 1),
    }


def in_tests(files: Mapping[str, str]) -> dict[str, int]:
    """How much the tests know of what is inside, their files given as path and source."""
    patched = underscored = inside = 0
    for file, source in files.items():
        patched += sum(
            isinstance(node, ast.Attribute) and ast.unparse(node) == "monkeypatch.setattr"
            for node in ast.walk(parsed(source))
        )
        own = [i for i in imports(source) if i.module.split(".")[0] in PACKAGES.values()]
        names = [f"{found.module}.{found.name or ''}".split(".") for found in own]
        underscored += sum(any(re.match("_[^_]", part) for part in name) for name in names)
        is_test = file.rpartition("/")[2].startswith("test_")
        inside += is_test and any(found.module not in PUBLIC for found in own)
    return {
        "monkeypatch.setattr": patched,
        "underscore names imported": underscored,
        "test files that import internals": inside,
    }


def walk(code: str) -> set[CodeType]:
    """The named functions of the packages that some code calls, imports left out."""
    called: set[CodeType] = set()
    folders = tuple(f"{ROOT / package}{os.sep}" for package in PACKAGES.values())

    def importing(frame: FrameType | None) -> bool:
        while frame is not None:
            own = frame.f_code.co_filename.startswith(folders)
            if own and frame.f_code.co_name == "<module>":
                return True
            frame = frame.f_back
        return False

    def deadline(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code in called:
            return
        function = frame.f_code.co_flags & inspect.CO_OPTIMIZED and frame.f_code.co_name[0] != "<"
        if function and frame.f_code.co_filename.startswith(folders) and not importing(frame):
            called.add(frame.f_code)

    threading.setprofile(deadline)
    sys.setprofile(deadline)
    try:
        exec(compile(code, "<walked>", "exec"), {})
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return called


def in_new_process(*arguments: str) -> str:
    """What a fresh Python prints that finds this checkout first and has one thread a solver."""
    ours = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env=os.environ | ours, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ).stdout


def walked(which: str) -> dict[str, int]:
    """Modules and functions that the example of a package walks through, in its own process."""
    found: dict[str, int] = json.loads(in_new_process(__file__, "--walk", which))
    return found


def print_walk(which: str) -> None:
    """Walk through the example of a package, in this process."""
    imported = "import cvxpy, lexiprog" if which == "engine" else "import cvxpy, lexiprog_boost"
    exec(imported, {})
    code = snippets((ROOT / "docs/index.md").read_text())[0][0] if which == "engine" else FIT
    with contextlib.redirect_stdout(io.StringIO()):
        called = walk(code)
    files = {code.co_filename for code in called}
    print(json.dumps({"modules walked": len(files), "functions walked": len(called)}))


def loaded(package: str) -> list[str]:
    """Every module that importing a package loads."""
    return in_new_process("-c", f"import sys, {package}; print(*sys.modules)").split()


def processor_time(statement: str) -> float:
    """Least processor time of five fresh Pythons that run a statement, in seconds."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        in_new_process("-c", statement)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def import_times() -> dict[str, float]:
    """What importing each package takes above the packages below it, in seconds."""
    engine = processor_time("import lexiprog") - processor_time("import cvxpy")
    boost = processor_time("import lexiprog_boost") - processor_time("import cvxpy, sklearn")
    return {"engine: import, s": round(engine, 2), "boost: import, s": round(boost, 2)}


def duplicates() -> dict[str, float | str]:
    """Pairs of places that repeat each other, where the command that finds them is installed."""
    name = "duplicates, pairs"
    if shutil.which("duplicates") is None:
        return {name: "no such command"}
    said = subprocess.run(
        ["duplicates", "--most", "1", "--repo", str(ROOT)],
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip
    if "incomplete:" in said:
        return {name: "incomplete"}
    return {name: 0 if said.startswith("no ") else int(said.split()[0])}


def read() -> tuple[dict[str, float], dict[str, dict[str, int]]]:
    """What can be read from the source: the figures, and every place beyond a rule of shape."""
    figures: dict[str, float] = {}
    places: dict[str, dict[str, int]] = {}
    for which, package in PACKAGES.items():
        modules = sources(ROOT / package)
        figures |= {f"{which}: {name}": number for name, number in sizes(modules).items()}
        for kind, found in beyond(package, modules).items():
            figures[f"{which}: {kind}"] = len(found)
            places.setdefault(kind, {}).update(found)
    tests = in_tests(sources(ROOT / "tests"))
    return figures | {f"tests: {name}": number for name, number in tests.items()}, places


def table(figures: Mapping[str, float | str]) -> str:
    """Figures beside what the test allows and what is aimed at, aligned."""
    rows = [("figure", "now", "limit", "goal")]
    for name, number in figures.items():
        limits = LIMITS.get(name, (None, None))
        now, limit, goal = (
            f"{n:,}" if isinstance(n, int | float) else n or "" for n in (number, *limits)
        )
        rows.append((name, now, limit, goal))
    first, *others = (max(map(len, column)) + 2 for column in zip(*rows, strict=True))
    return "\n".join(
        name.ljust(first) + "".join(map(str.rjust, cells, others)).rstrip() for name, *cells in rows
    )


def _package(figure: str) -> int:
    return [*PACKAGES, "tests"].index(figure.partition(":")[0])


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--walk", choices=PACKAGES, help="count what one example walks through")
    which = parser.parse_args().walk
    if which:
        return print_walk(which)
    figures, places = read()
    for which in PACKAGES:
        figures |= {f"{which}: {name}": number for name, number in walked(which).items()}
    figures |= import_times()
    ordered = {name: figures[name] for name in sorted(figures, key=_package)}
    print(table({**ordered, **duplicates()}))
    for kind, found in places.items():
        print(f"\n{kind}: {len(found)}")
        for place, number in sorted(found.items(), key=lambda item: -item[1]):
            print(f"{number:6}  {place}")
    return None


if __name__ == "__main__":
    main()
