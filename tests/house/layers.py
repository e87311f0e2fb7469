"""Read the imports of a package's modules from their source, and judge them by their layers."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from tests.house.packages import Package

Layers = Sequence[Sequence[Package]]


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


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a module, which every rule looks at."""
    return ast.parse(source)


def nodes_at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree, but not into `if TYPE_CHECKING:`, which makes no module depend on another."""
    waiting = [*ast.iter_child_nodes(tree)][::-1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse[::-1]
            continue
        yield node
        waiting += [*ast.iter_child_nodes(node)][::-1]


@cache
def imports(source: str) -> tuple[Import, ...]:
    """Every import a module makes when it runs, those inside functions included."""
    return tuple(_imports(source))


def _imports(source: str) -> Iterator[Import]:
    for node in nodes_at_run_time(parsed(source)):
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


def place(module: str, layers: Layers) -> tuple[int, Package] | None:
    """Number of the layer, and the package there, that a module belongs to."""
    packages = ((k, package) for k, layer in enumerate(layers) for package in layer)
    fits = (p for p in packages if any(fnmatchcase(module, q) for q in p[1].patterns))
    return next(fits, None)


def unplaced(modules: Mapping[str, str], layers: Layers) -> list[str]:
    """List the modules of no package; the top's own __init__ stands above all."""
    names = ", ".join(package.name for layer in layers for package in layer)
    return [
        f"{module} belongs to no package; the packages, in order, are: {names}"
        for module in modules
        if module != "__init__" and place(module, layers) is None
    ]


def wrong_way(package: str, modules: Mapping[str, str], layers: Layers) -> list[str]:
    """List the imports of siblings and later layers, and say where each module might stand."""
    complaints = []
    graph = list(edges(package, modules))
    for module, goal, line in graph:
        own, other = place(module, layers), place(goal, layers)
        if module == "__init__" or own is None:
            continue
        if other is not None and (other == own or other[0] < own[0]):
            continue
        which = "no package" if other is None else other[1].name
        complaints.append(
            f"{module}:{line} imports {goal}, which is no earlier layer ({which}). "
            + _advice(module, graph, layers)
        )
    return complaints


def _advice(module: str, graph: list[tuple[str, str, int]], layers: Layers) -> str:
    """Where a module may go: after all that it imports, and before all that import it."""
    needs = [place(goal, layers) for start, goal, _ in graph if start == module]
    users = [place(start, layers) for start, goal, _ in graph if goal == module]
    first = max((at[0] for at in needs if at is not None), default=0)
    last = min((at[0] for at in users if at is not None), default=len(layers) - 1)
    if first > last:
        return "No layer suits it as it is: split it, or let it be handed what it needs."
    names = ", ".join(package.name for layer in layers[first : last + 1] for package in layer)
    return f"By what it imports and who imports it, it may stand in: {names}."


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
    """List relative imports: the layers are read from full names."""
    return [
        f"{module}:{found.line}: relative import"
        for module, source in modules.items()
        for found in imports(source)
        if found.module.startswith(".")
    ]
