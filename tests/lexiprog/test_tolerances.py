"""Every threshold stands once, in `lexiprog.tolerances`, and is used."""

import ast
from pathlib import Path

import lexiprog
from lexiprog import tolerances

ROOT = Path(lexiprog.__file__).parent
TABLE = ROOT / "tolerances.py"
# Small numbers that are no thresholds: module, source text, and why.
ALLOWED = {
    ("canon/equilibration.py", "2.0 ** (-mild)"): "the inverse of a number that the caller gives",
    ("rational/numbers.py", "10 ** (-k)"): "a decimal's denominator, a whole number",
    ("rational/search.py", "2.0 ** (-round(math.log2(violation)))"): "a scale, not a limit",
}


# Modules whose few constants steer one algorithm, are named at their top with the reason, and mean
# nothing elsewhere: candidates to move to the table.
OWN_CONSTANTS = {
    "backends/digits.py", "canon/decimals.py", "certify/bound.py", "certify/polish.py",
    "certify/terms.py", "least_squares/active_set.py", "least_squares/check.py",
    "least_squares/hierarchy.py", "least_squares/jitted.py", "parametric/double_description.py",
    "parametric/front_images.py", "parametric/integer_search.py", "solve/repeated.py",
}  # fmt: skip


def trees():
    paths = [path for path in sorted(ROOT.rglob("*.py")) if path != TABLE]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in paths}


def is_bare_threshold(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return 0.0 < abs(node.value) < 1e-3
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return isinstance(node.right, ast.UnaryOp) and isinstance(node.right.op, ast.USub)
    return isinstance(node, ast.Attribute) and node.attr == "eps"


def assigned(tree):
    """Names that a module defines."""
    targets = [n.targets if isinstance(n, ast.Assign) else [n.target] for n in tree.body
               if isinstance(n, ast.Assign | ast.AnnAssign)]  # fmt: skip
    return {
        n.id for group in targets for t in group for n in ast.walk(t) if isinstance(n, ast.Name)
    }


NAMES = {name for name in assigned(ast.parse(TABLE.read_text())) if not name.startswith("_")}


def test_no_module_but_the_table_holds_a_bare_threshold():
    found = {(module, ast.unparse(node)) for module, tree in trees().items()
             for node in ast.walk(tree)
             if module not in OWN_CONSTANTS and is_bare_threshold(node)}  # fmt: skip
    assert found == ALLOWED.keys()


def test_a_bare_threshold_is_seen():
    bare = ["x < 1e-9", "-1e-12", "2.0**-40", "np.finfo(float).eps"]
    for source in bare:
        assert any(map(is_bare_threshold, ast.walk(ast.parse(source)))), source
    for source in ["x < 0.5", "0.0", "2.0**40", "1e-3"]:
        assert not any(map(is_bare_threshold, ast.walk(ast.parse(source)))), source


def test_no_module_gives_a_threshold_another_meaning_or_an_alias():
    for module, tree in trees().items():
        assert not assigned(tree) & NAMES, module
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "lexiprog.tolerances":
                assert not any(alias.asname for alias in node.names), module
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                assert node not in tree.body or node.value.id not in NAMES, module


def test_every_threshold_is_used_and_none_is_negative_or_not_a_number():
    used = {node.id for tree in trees().values() for node in ast.walk(tree)
            if isinstance(node, ast.Name)}  # fmt: skip
    table = ast.parse(TABLE.read_text())
    used |= {n.id for n in ast.walk(table) if isinstance(n, ast.Name)
             and isinstance(n.ctx, ast.Load)}  # fmt: skip
    assert used >= NAMES, sorted(NAMES - used)
    for name in NAMES:
        value = getattr(tolerances, name)
        for number in value.values() if isinstance(value, dict) else [value]:
            parts = number if isinstance(number, tuple) else (number,)
            assert all(part > 0.0 for part in parts), name


def test_what_counts_as_zero_is_below_what_certainly_is_not():
    t = tolerances
    assert t.REFINED_ZERO < t.DOUBLE_DOUBLE_EPS**0.5 < t.FEW_ROUNDINGS < t.SUM_ROUNDING
    assert t.MULTIPLIER_ROUNDING < t.MULTIPLIER_NOISE < t.MULTIPLIER_CERTAIN < t.MULTIPLIER_INTERIOR
    assert t.CONE_ZERO < t.CONE_NONZERO
    assert t.LEAST_FEASIBILITY < t.SOLVER_FEASIBILITY <= t.AT_BOUND < t.ACTIVE
    assert t.CERTIFIED_REFINED < t.CERTIFIED_LEXIMIN < t.CERTIFIED_CURVE
    assert t.CERTIFIED_CURVE < t.CERTIFIED < t.VALUES_DISAGREE
    assert t.SAME_LEVEL < t.SAME_LEVEL_INTEGER < t.SAME_LEVEL_SUM
