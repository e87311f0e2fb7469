"""What a module may not do, read from its source: each rule lists the places that break it."""

import ast
import re
from collections.abc import Collection, Mapping

from tests.house.layers import imports, nodes_at_run_time, parsed


def forbidden_imports(modules: Mapping[str, str], forbidden: Collection[str]) -> list[str]:
    return [
        f"{module}:{found.line}: imports {found.module}"
        for module, source in modules.items()
        for found in imports(source)
        if any(
            f"{name}.".startswith(f"{root}.")
            for root in forbidden
            for name in (found.module, f"{found.module}.{found.name}")
        )
    ]


def forbidden_attributes(modules: Mapping[str, str], names: Collection[str]) -> list[str]:
    return [
        f"{module}:{node.lineno}: uses .{node.attr}"
        for module, source in modules.items()
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Attribute) and node.attr in names
    ]


def private_fields(modules: Mapping[str, str], names: Collection[str]) -> list[str]:
    """List where others' private fields are named, as attributes or as texts."""
    found = []
    for module, source in modules.items():
        for node in ast.walk(parsed(source)):
            own = isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls")
            name = getattr(node, "attr", None) or getattr(node, "value", None)
            if isinstance(node, ast.Attribute | ast.Constant) and not own and name in names:
                found.append(f"{module}:{node.lineno}: knows {name}")
    return found


def class_names_compared(modules: Mapping[str, str]) -> list[str]:
    """List where a class is recognised by its name: a rename would change the answer, unheard."""
    return [
        f"{module}:{node.lineno}: {ast.unparse(node)} recognises a class by its name"
        for module, source in modules.items()
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Compare | ast.Assign | ast.Subscript)
        for part in ast.iter_child_nodes(node)
        if isinstance(part, ast.Attribute) and part.attr == "__name__"
    ]


# What is written for people, and what takes texts apart.
_SENTENCES = ("label", "said", "reason", "note", "doubt", "certificate")
_READING = (
    "startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix",
    "find", "rfind", "index", "rsplit", "split",
)  # fmt: skip


def _is_sentence(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):  # an error's words
        return ast.unparse(node) in ("str(error)", "repr(error)")
    return isinstance(node, ast.Attribute) and node.attr in _SENTENCES


def sentences_read(modules: Mapping[str, str]) -> list[str]:
    """List where a decision hangs on words for people: another wording would change the answer."""
    found = []
    for module, source in modules.items():
        for node in ast.walk(parsed(source)):
            taken_apart = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in _READING
                and (node.args or node.func.attr != "split")  # which only tidies white space
                and _is_sentence(node.func.value)
            )
            searched = (
                isinstance(node, ast.Compare)
                and isinstance(node.ops[0], ast.In | ast.NotIn)
                and isinstance(node.left, ast.Constant | ast.JoinedStr)
                and _is_sentence(node.comparators[0])
            )
            if taken_apart or searched:
                found.append(f"{module}:{node.lineno}: {ast.unparse(node)} reads a sentence")
    return found


def changed_behind_the_scenes(modules: Mapping[str, str]) -> list[str]:
    """List where an object is changed through its ``__dict__``."""
    found = []
    for module, source in modules.items():
        for node in ast.walk(parsed(source)):
            inner = getattr(node, "value", None)
            through = (isinstance(inner, ast.Attribute) and inner.attr == "__dict__") or (
                isinstance(inner, ast.Call) and ast.unparse(inner.func) == "vars"
            )
            written = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
            called = isinstance(node, ast.Attribute) and node.attr in (
                "update", "setdefault", "pop", "clear", "popitem",
            )  # fmt: skip
            if through and (written or called):
                found.append(f"{module}:{node.lineno}: {ast.unparse(node)} changes an object")
    return found


def private_use(modules: Mapping[str, str], package: str, public: Collection[str]) -> list[str]:
    """List what goes past a package's public names, by import or through the imported package."""
    complaints = []
    for module, source in modules.items():
        for found in imports(source):
            if found.module.startswith(f"{package}."):
                complaints.append(f"{module}:{found.line}: imports the submodule {found.module}")
            elif found.module == package and found.name not in (None, *public):
                complaints.append(f"{module}:{found.line}: {found.name} is not public")
        nodes = list(nodes_at_run_time(parsed(source)))
        aliases = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.name == package
        }
        complaints += [
            f"{module}:{node.lineno}: {ast.unparse(node)} is not public"
            for node in nodes
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in aliases
            and node.attr not in public
        ]
    return complaints


def forbidden_words(modules: Mapping[str, str], words: Collection[str]) -> list[str]:
    pattern = re.compile("|".join(words), re.IGNORECASE)
    return [
        f"{module}:{number}: says {found[0]!r}"
        for module, source in modules.items()
        for number, line in enumerate(source.splitlines(), start=1)
        if (found := pattern.search(line))
    ]


def _defined(source: str, kind: type[ast.stmt]) -> list[str]:
    return [node.name for node in parsed(source).body if isinstance(node, kind)]


def namesakes(modules: Mapping[str, str]) -> list[str]:
    """List modules that an imported function of theirs would hide."""
    return [
        f"{module} defines a function of its own name"
        for module, source in modules.items()
        if module.rpartition("/")[2] in _defined(source, ast.FunctionDef)
    ]


def _type_names(source: str) -> list[str]:
    """What a module calls other types: names like those of classes that are assigned to."""
    targets = [
        target
        for node in parsed(source).body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and not isinstance(node.value, ast.Call)  # a TypeVar is of its module alone
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if name[0].isupper() and not name.isupper()]


def twice(modules: Mapping[str, str]) -> list[str]:
    """List classes whose name stands for another class or type in another module."""
    places: dict[str, list[str]] = {}
    for module, source in modules.items():
        for name in _defined(source, ast.ClassDef):
            if not name.startswith("_"):
                places.setdefault(name, []).append(module)
    for module, source in modules.items():
        for name in _type_names(source):
            if module not in places.get(name, [module]):
                places[name].append(module)
    return [f"{name} is defined in {' and '.join(m)}" for name, m in places.items() if len(m) > 1]
