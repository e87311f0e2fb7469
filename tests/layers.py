"""Read the imports of a package's modules from their source, and judge them by rows of layers."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
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


def row_of(module: str, rows: Rows) -> int | None:
    """Find the first row with a pattern that fits the module."""
    fits = (i for i, row in enumerate(rows) if any(fnmatchcase(module, p) for p in row))
    return next(fits, None)


def unplaced(modules: Mapping[str, str], rows: Rows) -> list[str]:
    """List the modules that stand in no row; the package's own __init__ stands above all."""
    return [
        f"{module}: not in any row; place it where its imports allow"
        for module in modules
        if module != "__init__" and row_of(module, rows) is None
    ]


def wrong_way(
    package: str,
    modules: Mapping[str, str],
    rows: Rows,
    only: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """List the imports that don't reach an earlier row, or not one that `only` allows."""
    complaints = []
    for module, source in modules.items():
        own_row = row_of(module, rows)
        folder = module.removesuffix("__init__") if module.endswith("/__init__") else None
        allowed = next((to for p, to in (only or {}).items() if fnmatchcase(module, p)), None)
        for found in imports(source):
            goal = target(package, found, modules)
            if goal is None or module == "__init__" or own_row is None:
                continue
            if folder and goal.startswith(folder):  # a folder's front door opens on its rooms
                continue
            row = row_of(goal, rows)
            place = f"{module}:{found.line}: imports {goal}"
            if row is None or row >= own_row:
                complaints.append(f"{place}, which is not in an earlier row")
            elif allowed is not None and not any(fnmatchcase(goal, p) for p in allowed):
                complaints.append(f"{place}, but may import only {', '.join(allowed)}")
    return complaints


def relative(modules: Mapping[str, str]) -> list[str]:
    """List relative imports: the rows are read from full names."""
    return [
        f"{module}:{found.line}: relative import"
        for module, source in modules.items()
        for found in imports(source)
        if found.module.startswith(".")
    ]
