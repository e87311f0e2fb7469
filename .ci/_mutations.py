"""Small wrong changes to a module's source: each a place in it and the text to put there."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
# `strict` guards against our own slips, `stacklevel` points a warning at the caller's line.
KEYWORDS_LEFT_ALONE = {"strict", "stacklevel"}
# A tolerance times ten is often as good; times a million it is another one.
TINY = 1e-4


@dataclass(frozen=True)
class Mutation:
    """A change of the source between two places.

    It begins in a ``line`` and puts a ``text`` where the bytes from ``start`` to ``end`` were.
    People see an expression or statement on one line, ``before`` and ``after``.
    """

    line: int
    start: int
    end: int
    text: str
    before: str
    after: str

    def apply(self, source: str) -> str:
        """The source with the change."""
        whole = source.encode()
        return (whole[: self.start] + self.text.encode() + whole[self.end :]).decode()


def mutations(source: str) -> list[Mutation]:
    r"""Every change that this file knows, in the order of their places.

    Annotations, docstrings, texts, imports and what an error says are left alone.

    Examples
    --------
    >>> for found in mutations("def f(x):\n    return x < 3"):
    ...     print(found.before, "->", found.after)
    return x < 3 -> return None
    x < 3 -> x <= 3
    3 -> 4
    """
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = []
    for node, text, before, after in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        found.append(Mutation(node.lineno, start, end, text, _short(before), _short(after)))
    return sorted(found, key=lambda one: (one.start, -one.end, one.text))


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, str, str, str]]:
    """A node to be replaced, its new text, and both for people."""
    yield from _statements(node)
    yield from _conditions(node)
    yield from _expressions(node)
    for child in _children(node):
        yield from _changes(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr)):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.keyword) and node.arg in KEYWORDS_LEFT_ALONE:
        return
    skipped = {"annotation", "returns", "decorator_list"}
    for name, value in ast.iter_fields(node):
        if name not in skipped:
            parts = value if isinstance(value, list) else [value]
            yield from (one for one in parts if isinstance(one, ast.AST))


def _statements(node: ast.AST) -> Iterator[tuple[ast.AST, str, str, str]]:
    """Statements that can be left out without a name going missing."""
    text = ""
    match node:
        # Who asks whether something is true takes None for False.
        case ast.Return(value=value) if value and ast.unparse(value) not in ("None", "False"):
            text = "return None"
        case ast.Raise() | ast.AugAssign() | ast.Delete():
            text = "pass"
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            text = "pass"
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            text = "pass"
        case ast.Continue():
            text = "break"
        case ast.Break():
            text = "continue"
    if text:
        yield node, text, ast.unparse(node), text


def _conditions(node: ast.AST) -> Iterator[tuple[ast.AST, str, str, str]]:
    tests = []
    if isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, ast.Constant):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs
    for test in tests:
        turned = ast.unparse(ast.UnaryOp(ast.Not(), test))
        if "TYPE_CHECKING" not in turned:
            yield test, f"({turned})", ast.unparse(test), turned


def _expressions(node: ast.AST) -> Iterator[tuple[ast.AST, str, str, str]]:
    for changed in _variants(node):
        after = ast.unparse(changed)
        before = ast.unparse(node)
        text = after if isinstance(node, (ast.Constant, ast.stmt)) else f"({after})"
        if isinstance(node, ast.Call):
            (gone,) = {ast.unparse(k) for k in node.keywords} - {
                ast.unparse(k) for k in changed.keywords
            }
            yield node, text, f"{ast.unparse(node.func)}({gone})", "left out"
        else:
            yield node, text, before, after


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=ops):
            for k, op in enumerate(ops):
                changed = copy.deepcopy(node)
                changed.ops[k] = COMPARISONS[type(op)]()
                yield changed
        case ast.BoolOp(op=op):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), node.values)
        case ast.BinOp(op=op) if type(op) in ARITHMETIC and not _is_text(node):
            yield ast.BinOp(node.left, ARITHMETIC[type(op)](), node.right)
        case ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield ast.AugAssign(node.target, ARITHMETIC[type(op)](), node.value)
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(node.value + 1)
        case ast.Constant(value=float()):
            yield ast.Constant(_other(node.value))
        case ast.Call():
            for k, keyword in enumerate(node.keywords):
                if keyword.arg is not None and keyword.arg not in KEYWORDS_LEFT_ALONE:
                    kept = node.keywords[:k] + node.keywords[k + 1 :]
                    yield ast.Call(node.func, node.args, kept)


def _other(value: float) -> float:
    if value == 0:
        return 1.0
    return value * 1e6 if abs(value) < TINY else value * 10


def _is_text(node: ast.BinOp) -> bool:
    """Whether it joins or formats texts, or lists, which no other operator does."""
    sides = [node.left, node.right]
    while any(isinstance(side, ast.BinOp) for side in sides):
        side = next(side for side in sides if isinstance(side, ast.BinOp))
        sides.remove(side)
        sides += [side.left, side.right]
    return any(
        isinstance(side, (ast.JoinedStr, ast.List, ast.ListComp))
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _short(text: str, most: int = 90) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
