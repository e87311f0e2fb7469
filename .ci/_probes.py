"""Note which parts of our packages run, by calls that are compiled into them.

Tracing asks at every line of every package; these calls stand in ours alone, one before each row of
plain statements. So measuring takes hardly longer than the tests themselves.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

BLOCKS = ("body", "orelse", "finalbody")


class Probes:
    """What runs, between two looks.

    Attributes
    ----------
    home : path
        Of the source whose modules get calls when they are imported.
    places : list of tuple
        A module and the lines of each row of statements, by the number that its call notes.
    """

    def __init__(self, home: Path, packages: Sequence[str]):
        self.home = home
        self.packages = packages
        self.places: list[tuple[str, frozenset[int]]] = []
        self._seen: set[int] = set()

    def install(self) -> None:
        """Compile calls into what is imported from now on."""
        builtins.__probe__ = self._seen.add
        plain = SourceFileLoader.get_code
        own = tuple(f"{self.home / name}/" for name in self.packages)

        def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
            path = loader.get_filename(name)
            if not path.startswith(own):
                return plain(loader, name)
            within = Path(path).relative_to(self.home).as_posix()
            tree = self.probed(loader.get_data(path).decode(), within)
            return compile(tree, path, "exec", dont_inherit=True)

        SourceFileLoader.get_code = get_code

    def probed(self, source: str, path: str) -> ast.Module:
        """The tree of a module with a call before each row of statements inside functions."""
        tree = ast.parse(source)
        for node in list(ast.walk(tree)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                start = int(ast.get_docstring(node, clean=False) is not None)
                node.body[start:] = self._block(node.body[start:], path)
        return ast.fix_missing_locations(tree)

    def _block(self, block: list[ast.stmt], path: str) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for row in rows(block):
            lines = frozenset(line for one in row for line in lines_of(one))
            call = ast.Expr(ast.Call(ast.Name("__probe__", ast.Load()),
                                     [ast.Constant(len(self.places))], []))  # fmt: skip
            found += [ast.copy_location(call, row[0]), *row]
            self.places.append((path, lines))
        for one in block:
            for owner, name in inner(one):
                setattr(owner, name, self._block(getattr(owner, name), path))
        return found

    def taken(self) -> dict[str, set[int]]:
        """The lines of each module that ran since the last look."""
        found: dict[str, set[int]] = {}
        for number in list(self._seen):
            path, lines = self.places[number]
            found.setdefault(path, set()).update(lines)
        self._seen.clear()
        return found


def rows(block: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    r"""Statements that run if the first one does, unless something is raised.

    Examples
    --------
    >>> [len(row) for row in rows(ast.parse("a\nb\nif c: d\ne\nf").body)]
    [3, 2]
    """
    row: list[ast.stmt] = []
    for one in block:
        row.append(one)
        if next(inner(one), None):
            yield row
            row = []
    if row:
        yield row


def inner(statement: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """The blocks of a statement, each by what holds it and its name; those of functions wait."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    parts = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    yield from ((part, name) for part in parts for name in BLOCKS if getattr(part, name, None))


def lines_of(statement: ast.stmt) -> set[int]:
    """The lines of a statement without those of its blocks."""
    own = set(range(statement.lineno, statement.end_lineno + 1))
    blocks = [getattr(owner, name) for owner, name in inner(statement)]
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        blocks.append(statement.body)
    for block in blocks:
        own -= set(range(block[0].lineno, block[-1].end_lineno + 1)) - {statement.lineno}
    return own
