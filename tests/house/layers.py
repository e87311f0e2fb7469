"""Read the imports of a package's modules from their source, and judge them by rows of layers."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

Rows = Sequence[Sequence[str]]


class Import(NamedTuple):
    """`import module` (name is None) or `from module import name`."""

    module: str
    name: str | None
    line: int


def sources(package: Path) -> dict[str, str]:
    """Map every module, written as a path without suffix ("locks/value"), to its source."""
    return {
        path.relative_to(package).with_suffix("").as_posix(): path.read_text()
        for path in sorted(package.rglob("*.py"))
    }


def nodes_at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree, but not into `if TYPE_CHECKING:`, which makes no module depend on another."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for node in child.orelse:
                yield node
                yield from nodes_at_run_time(node)
            continue
        yield child
        yield from nodes_at_run_time(child)


def imports(source: str) -> Iterator[Import]:
    """Every import a module makes when it runs, those inside functions included."""
    for node in nodes_at_run_time(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, None, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (Import(module, alias.name, node.lineno) for alias in node.names)


def target(package: str, found: Import, modules: Mapping[str, str]) -> str | None:
    """Name the module of the package that an import reaches, or None if it reaches outside."""
    if found.module.split(".")[0] != package:
        return None
    inside = found.module.split(".")[1:]
    # `from a.b import c` reaches the module a/b/c if there is one, else a/b itself.
    paths = [[*inside, found.name], inside] if found.name else [inside]
    names = ["/".join(path + end) for path in paths for end in ([], ["__init__"])]
    return next((name for name in names if name in modules), names[-1])


def edges(package: str, modules: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """Every import from one module of the package to another, with its line."""
    for module, source in modules.items():
        for found in imports(source):
            goal = target(package, found, modules)
            if goal is not None:
                yield module, goal, found.line


def folder(module: str) -> str:
    """The top folder a module lies in, or nothing."""
    return module.partition("/")[0] if "/" in module else ""


def row_of(module: str, rows: Rows) -> int | None:
    """Find the first row with a pattern that fits the module."""
    fits = (i for i, row in enumerate(rows) if any(fnmatchcase(module, p) for p in row))
    return next(fits, None)


def unplaced(modules: Mapping[str, str], rows: Rows) -> list[str]:
    """List the modules that stand in no row.

    The package's own __init__ stands above all; a folder's that imports nothing stands nowhere.
    """
    return [
        f"{module}: not in any row; place it where its imports allow"
        for module, source in modules.items()
        if module != "__init__" and row_of(module, rows) is None
        if not (module.endswith("/__init__") and not list(imports(source)))
    ]


def wrong_way(
    package: str,
    modules: Mapping[str, str],
    rows: Rows,
    only: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """List the imports that don't reach an earlier row, or not one that `only` allows.

    Modules that one row's pattern takes from the same folder may import each other.
    """
    complaints = []
    for module, goal, line in edges(package, modules):
        own_row, row = row_of(module, rows), row_of(goal, rows)
        allowed = next((to for p, to in (only or {}).items() if fnmatchcase(module, p)), None)
        if module == "__init__" or own_row is None:
            continue
        if row == own_row and folder(module) == folder(goal) != "":
            continue
        if row is None or row >= own_row:
            complaints.append(f"{module}:{line}: imports {goal}, which is not in an earlier row")
        elif allowed is not None and not any(fnmatchcase(goal, p) for p in allowed):
            names = ", ".join(allowed)
            complaints.append(f"{module}:{line}: imports {goal}, but may import only {names}")
    return complaints


def circles(package: str, modules: Mapping[str, str]) -> list[str]:
    """Describe a circle of imports, if there is one."""
    graph: dict[str, set[str]] = {}
    for module, goal, _ in edges(package, modules):
        if module != goal:
            graph.setdefault(module, set()).add(goal)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return ["circle of imports: " + " -> ".join(reversed(error.args[1]))]
    return []


def relative(modules: Mapping[str, str]) -> list[str]:
    """List relative imports: the rows are read from full names."""
    return [
        f"{module}:{found.line}: relative import"
        for module, source in modules.items()
        for found in imports(source)
        if found.module.startswith(".")
    ]
