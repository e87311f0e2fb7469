"""Read the imports of a package's modules from their source, and judge them by their rooms."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from tests.house.rooms import Room

Rooms = Sequence[Room]


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


def place(module: str, rooms: Rooms) -> int | None:
    """Number of the room that a module stands in."""
    fits = (k for k, r in enumerate(rooms) if any(fnmatchcase(module, p) for p in r.patterns))
    return next(fits, None)


def unplaced(modules: Mapping[str, str], rooms: Rooms) -> list[str]:
    """List the modules that stand in no room; the package's own __init__ stands above all."""
    names = ", ".join(room.name for room in rooms)
    return [
        f"{module} stands in no room; the rooms, in order, are: {names}"
        for module in modules
        if module != "__init__" and place(module, rooms) is None
    ]


def wrong_way(package: str, modules: Mapping[str, str], rooms: Rooms) -> list[str]:
    """List the imports that reach a later room, and say where each module might stand instead."""
    complaints = []
    graph = list(edges(package, modules))
    for module, goal, line in graph:
        own, other = place(module, rooms), place(goal, rooms)
        if module == "__init__" or own is None or (other is not None and other <= own):
            continue
        room = "no room" if other is None else rooms[other].name
        complaints.append(
            f"{module}:{line} imports {goal}, which stands later, in {room}. "
            + _advice(module, graph, rooms)
        )
    return complaints


def _advice(module: str, graph: list[tuple[str, str, int]], rooms: Rooms) -> str:
    """Where a module may go: after all that it imports, and before all that import it."""
    needs = [place(goal, rooms) for start, goal, _ in graph if start == module]
    users = [place(start, rooms) for start, goal, _ in graph if goal == module]
    first = max((k for k in needs if k is not None), default=0)
    last = min((k for k in users if k is not None), default=len(rooms) - 1)
    if first > last:
        return "No room suits it as it is: split it, or let it be handed what it needs."
    names = ", ".join(room.name for room in rooms[first : last + 1])
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
    """List relative imports: the rooms are read from full names."""
    return [
        f"{module}:{found.line}: relative import"
        for module, source in modules.items()
        for found in imports(source)
        if found.module.startswith(".")
    ]
