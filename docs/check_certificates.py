"""Check the certificates of a saved result from its numbers alone.

    result.save("result.json", proof=True)          # with lexiprog
    python check_certificates.py result.json        # with nothing of it

The file holds every problem as bare numbers, with a point x and multipliers z:

    minimise   1/2 x'Px + c'x + offset   subject to   b - Ax in K,   lower <= x <= upper

K is a product of zeros, half-lines and cones. For z in the dual cone, any y and each feasible v

    objective(v) >= offset - 1/2 y'Py - b'z + r'v    with   r = c + Py + A'z,

and r'v is smallest where each column stands at the end of its range that r points to. A column that
has no such end must have r = 0: the multipliers of the file are first corrected until that is so,
in exact rationals, or nothing is proved. So the optimum lies between this bound and the objective
at x; where x misses a row or a cone by a rounding, what that is worth by z is added to it. Sums are
taken in exact rationals. Whether numbers lie in a curved cone is asked in floating point, with
numpy, and with room for its rounding.

Every measure compares a quantity with the terms that it is summed from, so that no unit matters: a
row with |A||x| + |b|, a reduced cost with |c| + |P||x| + |A|'|z|, a cone with the terms of its rows
together, and what z and r charge for slack with |c|'|x| + |b|'|z| + |x|'|P||x|. The largest of them
is called D: x is optimal for data each number of which is within about D of the file's, as a share
of itself (Oettli and Prager, 1964).

A linear level that holds earlier optima by their optimal face has more equations and fixed columns
than they have. Each must follow from the multipliers of one of them: where z'(b - Ax) and r times
the distance of x from its end add up to the gap g of a proved optimum, a row is within g / z of
equality, and a column within g / r of its end. What that may be worth to the level is charged to
its bound.

Exit codes: 0, everything is proved. 1, something is not proved. 3, everything is proved but for
what is named as taken on trust. 2, the file cannot be read, or holds no proofs.

Taken on trust, and named: the bound of an integer problem, which is its solver's word; that a level
holds earlier optima, where it does so by a row, or by a face of a curved problem; the levels of a
leximin after the first. That P is convex is asked in floating point, up to rounding.

What nobody can tell from the file alone: whether these numbers are those of the problem that was
declared (its rows, its sense, which of its levels hold which, which columns are called by which
name), and everything that is not needed for the proof (times, options, multipliers of declared
constraints, who solved it). The checksum is not looked at: whoever forges a file can write another.
`lexiprog.Result.load(path, program=...)` compares a file with a program.

The tolerances are this page's, or --tolerance for values; what the file says of them is not used.
"""

import json
import sys
from collections import Counter, namedtuple
from contextlib import nullcontext
from fractions import Fraction
from math import exp, hypot, inf, log, prod, sqrt
from pathlib import Path

try:
    import numpy as np
except ImportError:  # linear problems need nothing but Python
    np = None

TOLERANCE = 1e-6  # of values, as a share of themselves
NEARNESS = 0.1  # of all other measures, as a share of the tolerance
LINEAR_ROWS = 1e-9  # of rows of linear problems: what is computed is not known better
ROUNDING = 64 * 2.0**-52  # of the terms of a value: no value is known better
NOTHING = Fraction(1, 2**80)  # of the terms of a reduced cost: it is zero
INWARDS = (2.0**-45, 1e-12, 1e-10, 1e-8, 1e-6)  # how far multipliers are moved into their cones
LARGEST = 1e300  # numbers beyond are not numbers that somebody solved with

PROVED, NOT_PROVED, UNREADABLE, ON_TRUST = range(4)  # exit codes


# A problem as it was measured: its value and bound, every measure by name, the terms of its value,
# and the multipliers with the reduced costs that the bound is made of.
Measured = namedtuple("Measured", "value bound misses size z reduced")


class Unreadable(ValueError):
    """A file that holds no proofs, or part of one that says nothing."""


def check_file(path, tolerance=TOLERANCE):
    """A list of (name, whether it is proved, what was found, what it takes on trust)."""
    try:
        record = plain(json.loads(Path(path).read_text(encoding="utf-8")))
        names = [name for members in record["stages"].values() for name in members]
        found = {solution["name"]: solution for solution in record["solutions"]}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(f"{path} is no saved result: {error}.") from error
    twice = [name for name, count in Counter(names).items() if count > 1]
    if not names or twice or len(found) != len(record["solutions"]) or not set(found) <= set(names):
        raise Unreadable(f"{path} has no subproblems, or some twice, or solutions of others.")
    if not all(solution.get("evidence") for solution in found.values()):
        raise Unreadable(f"{path} holds no proofs: save it with result.save(path, proof=True).")
    verdicts, earlier = [], {}
    for name in names:
        verdicts.append(verdict(name, found.get(name), earlier, tolerance))
        if name in found:
            earlier[name] = (found[name], found[name]["evidence"])
    return verdicts


def verdict(name, found, earlier, tolerance):
    """What is to be said of one subproblem, whatever the file holds of it."""
    try:
        if found is None:
            raise Unreadable("the file has no solution of it")
        check_form(found["evidence"])
        check_told(found, earlier)
        with np.errstate(all="ignore") if np else nullcontext():
            return check(found, found["evidence"], earlier, tolerance)
    except Unreadable as error:
        reason = error
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        reason = f"malformed ({type(error).__name__}: {error})"
    return name, False, f"{name}: is NOT proved: {reason}", []


def plain(value):
    """Arrays as lists, and the numbers that JSON does not have."""
    if isinstance(value, list):
        return [plain(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"array", "shape", "dtype"}:
        return plain(value["array"])
    if set(value) == {"float"}:
        return float(value["float"])
    if set(value) == {"pairs"}:
        return {key: plain(part) for key, part in value["pairs"]}
    return {key: plain(part) for key, part in value.items()}


def check_form(proof):
    """Refuse numbers that are none, and sizes that do not fit each other."""
    columns, rows = len(proof["c"]), len(proof["b"])
    lists = {"c": columns, "x": columns, "b": rows, "columns": columns}
    if proof["z"] is not None:
        lists["z"] = rows
    for name, size in lists.items():
        demand(len(proof[name]) == size, f"{name} has not as many numbers as the problem")
        demand(all(map(is_number, proof[name])), f"{name} has what is no finite number")
    for name, shape in (("A", (rows, columns)), ("P", (columns, columns))):
        if proof[name] is not None:
            check_entries(proof[name], shape, name)
    for name, never in (("lower", inf), ("upper", -inf)):
        ends = proof[name] or []
        demand(len(ends) in (0, columns), f"{name} has not as many numbers as the problem")
        demand(all(is_number(e) or e == -never for e in ends), f"{name} has what is no bound")
    demand(is_number(proof["offset"]), "the offset is no finite number")
    demand(is_number(proof["cost"]) and proof["cost"] > 0, "the unit of its cost is not positive")
    demand(all(unit > 0 for unit in proof["columns"]), "a column's unit is not positive")
    demand(all(type(proof[n]) is bool for n in ("maximise", "logarithmic")), "its sense is unclear")
    whole = proof["integer"] or []
    demand(all(type(j) is int and 0 <= j < columns for j in whole), "no such integer column")
    check_cones(proof["cones"], rows)
    demand(all(low <= high for low, high in zip(*ranges(proof), strict=True)), "bounds are crossed")


def check_entries(entries, shape, name):
    """Refuse a matrix with entries outside of it, or that are no numbers."""
    rows, columns, values = (entries[part] for part in ("rows", "columns", "values"))
    demand(len(rows) == len(columns) == len(values), f"{name} has entries without a place")
    places = zip((rows, columns), shape, strict=True)
    inside = all(type(k) is int and 0 <= k < size for which, size in places for k in which)
    demand(inside, f"{name} has entries outside of it")
    demand(all(map(is_number, values)), f"{name} has what is no finite number")


def check_cones(cones, rows):
    """Refuse cones that are not those of the rows."""
    counts = [cones["zero"], cones["nonneg"], cones["exp"], *cones["soc"], *cones["psd"]]
    demand(all(type(count) is int and count >= 0 for count in counts), "a cone has no size")
    demand(all(size >= 1 for size in (*cones["soc"], *cones["psd"])), "a cone has no size")
    demand(cones["psd_layout"] in ("upper", "lower", "full"), "nobody knows the cones' layout")
    for powers in cones["power"]:
        fits = all(is_number(p) and 0 < p < 1 for p in powers) and abs(sum(powers) - 1) < 1e-9
        demand(fits, "the powers of a cone are not shares of one")
    total = cones["zero"] + cones["nonneg"] + 3 * cones["exp"]  # no list: it may be any number
    total += sum(size for _, size, _ in curved(cones | {"exp": 0}))
    demand(total == rows, f"the cones have {total} rows, the problem {rows}")


def check_told(found, earlier):
    """Refuse a value or bound that is no number, and held optima that nobody has found."""
    demand(is_number(found["value"]), "its value is no finite number")
    demand(found["bound"] is None or is_number(found["bound"]), "its bound is no finite number")
    for lock in found["locks"]:
        demand(lock["kind"] in ("face", "value", "argument"), "it holds an optimum in no known way")
        demand(lock["name"] in earlier, f"it holds {lock['name']!r}, which is not before it")
        demand(is_number(lock["limit"]), f"its limit for {lock['name']!r} is no finite number")


def demand(fits, problem):
    """Refuse what does not fit."""
    if not fits:
        raise Unreadable(problem)


def is_number(value):
    """Whether it is a finite number."""
    return isinstance(value, int | float) and type(value) is not bool and abs(value) < LARGEST


def is_linear(proof):
    """Whether a problem has linear rows and a linear objective only."""
    kinds = proof["cones"]
    return not (proof["P"] or kinds["soc"] or kinds["psd"] or kinds["exp"] or kinds["power"])


def check(found, proof, known, tolerance=TOLERANCE):
    """Judge one problem: the violations of its point, and the distance to a proved bound."""
    name, linear, trust = found["name"], is_linear(proof), []
    how = f"proved in {'exact rationals' if linear else 'floating point'}"
    measured = measure(proof)
    bound, misses = measured.bound, dict(measured.misses)
    if proof["integer"]:
        how = "whole, with the solver's word for its bound"
        trust.append("the solver's bound")
        misses |= {"columns": 0, "slackness": 0}
        misses["integrality"] = max(
            abs(proof["x"][j] - round(proof["x"][j])) for j in proof["integer"]
        )
        bound = (
            -inf if found["bound"] is None else exactly(in_units_of_proof(found["bound"], proof))
        )
    faces = [lock["name"] for lock in found["locks"] if lock["kind"] == "face"]
    if found["certificate"]["basis"] == "exact":
        faces = []  # there the held optima are rows of the proof
    rows = [lock["name"] for lock in found["locks"] if lock["name"] not in faces]
    if rows:
        trust.append(f"that its rows hold {', '.join(rows)}")
    if faces:
        how += f", on the optimal face of {', '.join(faces)}"
        if linear and not proof["integer"] and all(is_linear(known[face][1]) for face in faces):
            owners = [owner(proof, *known[face], tolerance) for face in faces]
            bound -= doubt_of_faces(proof, measured, owners)
        else:
            trust.append(f"that it is on the face of {', '.join(faces)}")
    if found.get("levels"):
        trust.append("all levels but the first")
    told = exactly(in_units_of_proof(found["value"], proof))
    effect = misses.pop("effect")
    misses["gap"] = share_of_value(measured, bound, effect)
    misses["claim"] = share_of_value(measured, told)
    limits = limits_of(proof, tolerance)
    if trust and found["locks"]:
        limits["rows"] = NEARNESS * tolerance  # what it holds was computed
    # One that is not a number is not small: each is asked by itself.
    failed = {which: miss for which, miss in misses.items() if not miss <= limits[which]}
    if failed:
        parts = [
            f"{which} {float(m):.1e} (up to {limits[which]:.0e})" for which, m in failed.items()
        ]
        return (
            name,
            False,
            f"{name}: {found['value']:.10g} is NOT proved: {', '.join(parts)}",
            trust,
        )
    near = float(max(misses[which] for which in ("rows", "columns", "cones", "slackness")))
    ends = [min(bound, measured.value), max(bound, measured.value + effect)]
    ends = sorted(in_units_of_user(float(end), proof) for end in ends)
    text = f"{name}: {found['value']:.10g} is optimal for data within {tiny(near)} of yours, "
    text += f"value within [{digits(*ends)}] ({how})"
    if trust:
        text += f"; taken on trust: {', '.join(trust)}"
    return name, True, text, trust


def limits_of(proof, tolerance):
    """What each measure is compared with."""
    names = ("rows", "columns", "cones", "slackness")
    limits = dict.fromkeys(names, NEARNESS * tolerance) | dict.fromkeys(("gap", "claim"), tolerance)
    if is_linear(proof) and not proof["integer"] and tolerance <= TOLERANCE:
        limits["rows"] = LINEAR_ROWS
    return limits | {"integrality": 0}


def share_of_value(measured, other, effect=0):
    """How far a value is from another, as a share of itself; what rounding explains is zero."""
    if other in (-inf, inf):
        return inf
    apart = max(abs(measured.value - other), effect)
    if apart <= Fraction(ROUNDING) * measured.size:
        return 0
    return apart / abs(measured.value) if measured.value else inf


def tiny(value):
    """The order of an error."""
    return f"{value:.0e}".replace("e-0", "e-") if value else "0"


def digits(low, high):
    """Both ends, with as many digits as tell them apart."""
    for count in range(6, 18):
        ends = f"{low:.{count}g}", f"{high:.{count}g}"
        if ends[0] != ends[1]:
            return ", ".join(ends)
    return f"{low:.10g}, {high:.10g}"


def owner(proof, found, own, tolerance):
    """The proof of a held optimum over the columns of its holder, measured, and its gap."""
    own = (proof.get("owners") or {}).get(found["name"], own)
    check_form(own)
    measured = measure(own)
    told, limits = exactly(in_units_of_proof(found["value"], own)), limits_of(own, tolerance)
    misses = [measured.misses[which] <= limits[which] for which in ("rows", "cones")]
    if not all(misses) or not share_of_value(measured, told) <= tolerance:
        return own, measured, inf
    return own, measured, abs(measured.value - measured.bound)


def doubt_of_faces(proof, measured, owners):
    """What a level may owe to equations that its owners' multipliers only nearly prove.

    Infinite if one of its equations or fixed columns does not follow from them at all.
    """
    if any(gap == inf for *_, gap in owners):
        return inf
    rows, reduced = lines(proof), measured.reduced
    near, near_column = {}, [inf] * len(reduced)  # how far from equality a row, a column may be
    lower, upper = ranges(proof)
    for own, its, gap in owners:
        if not set(lines(own)) <= set(rows):
            return inf  # it is no optimum over rows that this level demands
        for place, line in enumerate(lines(own)):
            if place < own["cones"]["zero"]:
                near[line] = 0
            elif its.z[place] > 0:
                near[line] = min(near.get(line, inf), gap / its.z[place])
        for j, (low, high, r) in enumerate(zip(*ranges(own), its.reduced, strict=True)):
            if (lower[j], upper[j]) == (low, high):
                near_column[j] = 0
            elif lower[j] == upper[j] == (low if r > 0 else high) and r != 0:
                near_column[j] = min(near_column[j], gap / abs(r))
    doubt = 0
    for line, z in list(zip(rows, measured.z, strict=True))[: proof["cones"]["zero"]]:
        doubt += charge(near.get(line, inf), max(-z, 0))
    return doubt + sum(charge(far, abs(r)) for far, r in zip(near_column, reduced, strict=True))


def charge(distance, price):
    """Their product; what is not known to be near costs without limit, whatever its price."""
    return inf if distance == inf else distance * price


def lines(proof):
    """Each row as what it says: its coefficients and its side."""
    entries = [{} for _ in proof["b"]]
    for i, j, a in zip(*(proof["A"][part] for part in ("rows", "columns", "values")), strict=True):
        entries[i][j] = entries[i].get(j, 0) + Fraction(a)
    return [(frozenset(row.items()), b) for row, b in zip(entries, proof["b"], strict=True)]


def in_units_of_proof(value, proof):
    """A value of the declared objective, which may be maximised or solved in logarithms."""
    value = log(value) if proof["logarithmic"] else value
    return (-value if proof["maximise"] else value) * proof["cost"]


def in_units_of_user(value, proof):
    """What `in_units_of_proof` undoes."""
    value = (-value if proof["maximise"] else value) / proof["cost"]
    return exp(min(value, 700.0)) if proof["logarithmic"] else value


def exactly(number):
    """A number as a fraction, and what is none as what no value is near to."""
    return Fraction(number) if abs(number) < inf else inf


def ranges(proof):
    """Both bounds of every column; zero where that is all that a cone leaves."""
    size = len(proof["c"])
    lower, upper = list(proof["lower"] or [-inf] * size), list(proof["upper"] or [inf] * size)
    for column in left_at_zero(proof, lower, upper):
        lower[column], upper[column] = max(lower[column], 0.0), min(upper[column], 0.0)
    return lower, upper


def left_at_zero(proof, lower, upper):
    """Columns that second-order cones leave nothing but zero, as others are bounded by zero.

    With t >= |u| in all, t + u or t - u zero for one row u leaves nothing but zero to the others.
    """
    if not proof["cones"]["soc"]:
        return set()
    rows = [{} for _ in proof["b"]]  # what each row's slack is made of: its limit, then columns
    for i, limit in enumerate(proof["b"]):
        rows[i] = {-1: Fraction(limit)} if limit else {}
    for i, j, a in entries(proof["A"]):
        rows[i] |= {j: -a} if a else {}
    low = {j for j, end in enumerate(lower) if end == 0}
    high = {j for j, end in enumerate(upper) if end == 0}
    cones = [(kind, rows[block]) for kind, block, _ in blocks(proof["cones"])]
    for kind, (row, *_) in cones:
        if kind in ("zero", "half-line") and len(row) == 1 and -1 not in row:
            ((j, a),) = row.items()
            low |= {j} if kind == "zero" or a > 0 else set()
            high |= {j} if kind == "zero" or a < 0 else set()
    fixed, found, known = low & high, set(), None
    while known != found:
        known = set(found)
        for kind, (head, *others) in cones:
            if kind != "soc" or not fixed & head.keys():
                continue
            gone = [k for k, u in enumerate(others) if any(
                all(head.get(j, 0) + sign * u.get(j, 0) == 0 for j in (head | u).keys() - fixed)
                for sign in (1, -1))]  # fmt: skip
            flat = others if not head.keys() - fixed else []
            flat = flat or [u for k, u in enumerate(others) if gone and k != gone[0]]
            found |= {j for u in flat if len(u) == 1 for j in u if j >= 0}
        fixed |= found
    return found


def measure(proof):
    """Everything that is known of a problem, from its numbers alone."""
    x = [Fraction(number) for number in proof["x"]]
    A, P = entries(proof["A"]), symmetric(entries(proof["P"]))
    slack, row_sizes = [Fraction(b) for b in proof["b"]], [abs(Fraction(b)) for b in proof["b"]]
    for i, j, a in A:
        slack[i] -= a * x[j]
        row_sizes[i] += abs(a * x[j])
    demand(not P or is_convex(proof), "its objective is not convex")
    known = multipliers(proof, A, P, x, row_sizes)
    demand(known is not None, "no multipliers near these leave its free columns without a cost")
    y, z, reduced, sizes = known
    charges, missing, columns = 0, 0, 0
    for low, high, xj, r, size in zip(*ranges(proof), x, reduced, sizes, strict=True):
        end = low if r > 0 else high
        if r != 0 and end not in (-inf, inf):
            missing += r * Fraction(end)
            charges += abs(r * (xj - Fraction(end)))
        elif abs(r) > NOTHING * size:
            missing, columns = -inf, max(columns, over(abs(r), size))
    c, offset = [Fraction(cost) for cost in proof["c"]], Fraction(proof["offset"])
    curve = [a * x[i] * x[j] for i, j, a in P]
    value = sum(cost * xj for cost, xj in zip(c, x, strict=True)) + sum(curve) / 2 + offset
    bz = [Fraction(b) * zi for b, zi in zip(proof["b"], z, strict=True)]
    bound = offset - sum(a * y[i] * y[j] for i, j, a in P) / 2 - sum(bz) + missing
    size = sum(abs(cost * xj) for cost, xj in zip(c, x, strict=True)) + sum(map(abs, bz))
    size += abs(offset) + sum(map(abs, curve))
    rows, cones, effect = beyond(proof, x), 0, 0
    for kind, block, parameter in blocks(proof["cones"]):
        s, t = slack[block], row_sizes[block]
        charges += abs(sum(zi * si for zi, si in zip(z[block], s, strict=True)))
        if kind in ("zero", "half-line"):
            outside = abs(s[0]) if kind == "zero" else max(-s[0], 0)
            rows, effect = max(rows, over(outside, t[0])), effect + outside * abs(z[block][0])
        else:
            outside = outside_of(kind, block, proof, x, s, t, parameter)
            cones = max(cones, outside)
            if 0 < outside < inf:
                far = sum(abs(zi) * ti for zi, ti in zip(z[block], t, strict=True))
                effect += Fraction(outside) * far
    misses = {"rows": rows, "columns": columns, "cones": cones, "slackness": over(charges, size)}
    return Measured(value, bound, misses | {"effect": effect}, size, z, reduced)


def entries(matrix):
    """Row, column and value of every entry."""
    if not matrix:
        return []
    parts = (matrix[part] for part in ("rows", "columns", "values"))
    return [(i, j, Fraction(a)) for i, j, a in zip(*parts, strict=True)]


def symmetric(matrix_entries):
    """The symmetric part, which is all that counts in x'Px."""
    halves = [(i, j, a / 2) for i, j, a in matrix_entries]
    return halves + [(j, i, a) for i, j, a in halves]


def is_convex(proof):
    """Whether P is, up to rounding, without a negative eigenvalue."""
    full = curvature(proof)
    root = np.sqrt(abs(np.diag(full)))
    if abs(full[root == 0]).max(initial=0) > 0:
        return False
    root[root == 0] = 1
    return np.linalg.eigvalsh(full / root / root[:, None])[0] >= -1e-12


def over(part, whole):
    """A share; nothing of nothing is nothing."""
    return part / whole if whole else (inf if part else 0)


def beyond(proof, x):
    """How far a column is beyond its bounds, over the sizes of both."""
    worst = 0
    for low, xj, high in zip(ranges(proof)[0], x, ranges(proof)[1], strict=True):
        if low > xj:
            worst = max(worst, over(Fraction(low) - xj, abs(Fraction(low)) + abs(xj)))
        if high < xj:
            worst = max(worst, over(xj - Fraction(high), abs(Fraction(high)) + abs(xj)))
    return worst


def multipliers(proof, A, P, x, row_sizes):
    """A place of linearisation, multipliers in the dual cone, their reduced costs and terms.

    Where nothing bounds a column its reduced cost vanishes, if multipliers near those of the file
    can do that. None if none of them are in the dual cone.
    """
    z = [Fraction(number) for number in proof["z"] or [0] * len(proof["b"])]
    zero, linear = proof["cones"]["zero"], proof["cones"]["zero"] + proof["cones"]["nonneg"]
    z[zero:linear] = [max(number, Fraction(0)) for number in z[zero:linear]]
    if proof["integer"]:
        return x, z, *reduced_costs(proof, A, P, x, x, z)
    if is_linear(proof):
        # Inequalities without a multiplier have none afterwards either.
        free = [over(1, size) if size else 1 for size in row_sizes[:zero]]
        return balanced(proof, A, P, x, x, z, free + z[zero:])
    cones = list(blocks(proof["cones"]))
    for kind, block, parameter in cones:
        if kind not in ("zero", "half-line"):
            z[block] = map(Fraction, in_dual_cone(kind, np.array(z[block], dtype=float), parameter))
    for share in INWARDS:
        found = balanced(proof, A, P, x, *moved(proof, x, z, row_sizes, share))
        inside = all(is_inside(kind, found[1][block], part) for kind, block, part in cones)
        if inside and not open_columns(proof, *found[2:]):
            return found
    return None


def reduced_costs(proof, A, P, x, y, z):
    """What multipliers leave of the costs at y, and the terms of that at x."""
    reduced = [Fraction(number) for number in proof["c"]]
    sizes = [abs(number) for number in reduced]
    for matrix_entries, by, size in ((A, z, z), (P, y, x)):
        for i, j, a in matrix_entries:
            reduced[j] += a * by[i]
            sizes[j] += abs(a * size[i])
    return reduced, sizes


def open_columns(proof, reduced, sizes):
    """The columns whose reduced cost is not zero although nothing bounds them."""
    lower, upper = ranges(proof)
    return {
        j
        for j, (r, size) in enumerate(zip(reduced, sizes, strict=True))
        if (lower[j] if r > 0 else upper[j]) in (-inf, inf) and abs(r) > NOTHING * size
    }


def balanced(proof, A, P, x, y, z, weights):
    """Multipliers whose reduced costs vanish exactly where a column is open, as far as they can.

    Weights say how much a row may be changed; the last ones are of the place of linearisation.
    """
    y, z, weights = list(y), list(z), list(weights) + [0] * (len(z) + len(y) - len(weights))
    zero, linear = proof["cones"]["zero"], proof["cones"]["zero"] + proof["cones"]["nonneg"]
    lower, upper = ranges(proof)
    inner = {
        j for j, xj in enumerate(x) if lower[j] < xj < upper[j] and inf in (-lower[j], upper[j])
    }
    columns, rows = set(), len(z)
    for _ in range(20):
        reduced, sizes = reduced_costs(proof, A, P, x, y, z)
        wrong = open_columns(proof, reduced, sizes)
        if not wrong or (wrong <= columns and not any(zi < 0 for zi in z[zero:linear])):
            break
        columns |= wrong | inner
        system = {j: {} for j in columns}
        for start, matrix_entries in ((0, A), (rows, P)):
            for i, j, a in matrix_entries:
                if j in columns and weights[start + i]:
                    system[j][start + i] = system[j].get(start + i, 0) + a
        for i, step in solved(system, {j: -reduced[j] for j in columns}, weights).items():
            if i < rows:
                z[i] += step
            else:
                y[i - rows] += step
        for i in range(zero, linear):
            if z[i] < 0:
                z[i], weights[i] = Fraction(0), 0
    return y, z, *reduced_costs(proof, A, P, x, y, z)


def solved(system, sides, weights):
    """One solution of equations, by elimination; those that contradict others are left out."""
    pivots = []
    for j, equation in system.items():
        line, side = dict(equation), sides[j]
        for i, other, its_side in pivots:
            factor = line.pop(i, 0)
            if factor:
                side -= factor * its_side
                for k, a in other.items():
                    line[k] = line.get(k, 0) - factor * a
        line = {k: a for k, a in line.items() if a}
        if not line:
            continue
        i = max(line, key=lambda k: abs(float(line[k])) * float(weights[k]))
        pivot = line.pop(i)
        pivots.append((i, {k: a / pivot for k, a in line.items()}, side / pivot))
    steps = {}
    for i, line, side in reversed(pivots):
        steps[i] = side - sum(a * steps[k] for k, a in line.items() if k in steps)
    return steps


def moved(proof, x, z, row_sizes, share):
    """A place of linearisation and multipliers inside their cones with small reduced costs there.

    The step is the least in the local metric of the cones: what is small in it stays inside.
    """
    x, z, c, b = (np.array(v, dtype=float) for v in (x, z, proof["c"], proof["b"]))
    A = matrix(proof["A"], (b.size, c.size))
    P = curvature(proof)
    worth = abs(c) @ abs(x) + abs(b) @ abs(z) or 1.0
    z, root = inwards(proof, z, share), np.zeros((b.size, b.size))
    near = inwards(proof, z, 1e-2)
    for kind, block, parameter in blocks(proof["cones"]):
        root[block, block] = root_of_metric(kind, near[block], parameter)
        if kind == "zero" and row_sizes[block.start]:
            usual = worth / float(row_sizes[block.start])
            root[block, block] = max(abs(z[block][0]), usual)
    bends = np.diag(P) > 0
    reach = np.where(bends, np.sqrt(worth / np.where(bends, np.diag(P), 1)), 0)
    lower, upper = (np.array(ends, dtype=float) for ends in ranges(proof))
    reduced = c + P @ x + A.T @ z
    free = np.isinf(np.where(reduced > 0, lower, upper)) | ((lower < x) & (x < upper))
    scale = abs(c) + abs(P) @ abs(x) + abs(A).T @ abs(z)
    scale = np.where(scale > 0, scale, 1)[free]
    sides = np.vstack([root.T @ A[:, free], reach[:, None] * P[:, free]]) / scale
    y = x.copy()
    for _ in range(3):
        left = (c + P @ y + A.T @ z)[free] / scale
        step = np.linalg.lstsq(sides.T, -left, rcond=1e-13)[0]
        z, y = z + root @ step[: b.size], y + reach * step[b.size :]
    weights = [*np.sqrt((root**2).sum(axis=1)).tolist(), *reach.tolist()]
    z = [Fraction(zi) for zi in z.tolist()]
    zero, linear = proof["cones"]["zero"], proof["cones"]["zero"] + proof["cones"]["nonneg"]
    z[zero:linear] = [max(number, Fraction(0)) for number in z[zero:linear]]
    return [Fraction(yj) for yj in y.tolist()], z, weights


def inwards(proof, z, share):
    """Multipliers moved towards the inside of the dual cones by a share of themselves."""
    z = z.copy()
    for kind, block, parameter in blocks(proof["cones"]):
        if kind == "soc":
            z[block.start] *= 1 + share
        if kind == "psd":
            full = unpacked(z[block], *parameter)
            z[block] = packed(full + share * np.diag(np.diag(full)), parameter[1])
        if kind == "exp":
            z[block] += share * np.array([0, abs(z[block.start]), z[block.stop - 1]])
        if kind == "power":
            z[block.start : block.stop - 1] *= 1 + share
    return z


def root_of_metric(kind, z, parameter):
    """A root of the local metric of a dual cone."""
    if kind == "soc":
        mirror = np.diag([1.0, *[-1.0] * (z.size - 1)])
        square = 2 * np.outer(z, z) - max(z[0] ** 2 - z[1:] @ z[1:], 0) * mirror
        values, vectors = np.linalg.eigh(square)
        return vectors * np.sqrt(np.maximum(values, 0))
    if kind == "psd":
        values, vectors = np.linalg.eigh(unpacked(z, *parameter))
        root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
        units = [root @ unpacked(unit, *parameter) @ root for unit in np.eye(z.size)]
        return np.column_stack([packed(unit, parameter[1]) for unit in units])
    return np.diag(abs(z))


def is_inside(kind, z, parameter):
    """Whether exact multipliers are in the dual cone, with room for rounding where it is asked."""
    if kind == "zero":
        return True
    if kind == "half-line":
        return z[0] >= 0
    if kind == "soc":
        return z[0] >= 0 and z[0] ** 2 >= sum(part**2 for part in z[1:])
    z = np.array(z, dtype=float)
    if kind == "psd":
        full = unpacked(z, *parameter)
        root = np.sqrt(abs(np.diag(full)))
        if abs(full[root == 0]).max(initial=0) > 0 or min(np.diag(full)) < 0:
            return False
        root[root == 0] = 1
        full = full / root / root[:, None]
        kept = full[np.ix_(np.diag(full) > 0, np.diag(full) > 0)]
        return not kept.size or np.linalg.eigvalsh(kept)[0] >= 4 * (len(kept) + 2) ** 2 * 2.0**-52
    if kind == "power":
        base = [max(a, 0) / p for a, p in zip(z[:-1], parameter, strict=True)]
        reach = prod(a**p for a, p in zip(base, parameter, strict=True))
        return min(z[:-1]) >= 0 and abs(z[-1]) <= reach * (1 - 2.0**-44)
    u, v, w = z
    if u == 0:
        return v >= 0 and w >= 0
    return u < 0 and v / u < 700 and -u * exp(v / u - 1) * (1 + (abs(v / u) + 16) * 2.0**-50) <= w


def outside_of(kind, block, proof, x, s, t, parameter):
    """The least d for which slacks within d of their terms can be in a cone."""
    if kind == "soc" and len(s) > 1:
        return outside_of_pair(block, proof, x, s, t)
    s, t = np.array(s, dtype=float), np.array(t, dtype=float)
    if kind == "psd":
        return outside_of_matrices(unpacked(s, *parameter), abs(unpacked(t, *parameter)))

    def inside(d):
        if kind == "soc":
            return s[0] + d * t[0] >= 0
        if kind == "power":
            base = np.maximum(s[:-1] + d * t[:-1], 0)
            least = min(s[:-1] + d * t[:-1])
            product = prod(a**p for a, p in zip(base, parameter, strict=True))
            return least >= 0 and product >= abs(s[-1]) - d * t[-1]
        u, w = s[0] - d * t[0], s[2] + d * t[2]
        low, high = max(s[1] - d * t[1], 0), s[1] + d * t[1]
        v = min(max(u, low), high)  # where v exp(u / v) is least
        if high < 0 or w < 0:
            return False
        return v * exp(min(u / v, 700)) <= w if v > 0 else u <= 0

    return least(inside)


def outside_of_pair(block, proof, x, s, t):
    """Of a second-order cone, as p q >= |rest|**2 with p and q the sums of two of its rows."""
    k = max(range(1, len(s)), key=lambda i: abs(s[i]))
    b = [Fraction(number) for number in proof["b"][block]]
    lines = [{} for _ in s]
    for i, j, a in entries(proof["A"]):
        if block.start <= i < block.stop:
            lines[i - block.start][j] = lines[i - block.start].get(j, 0) + a
    ends = []
    for sign in (1, -1):
        both = {j: lines[0].get(j, 0) + sign * lines[k].get(j, 0) for j in {*lines[0], *lines[k]}}
        size = abs(b[0] + sign * b[k]) + sum(abs(a * x[j]) for j, a in both.items())
        ends.append((float(s[0] + sign * s[k]), float(size)))
    rest = [(abs(float(s[i])), float(t[i])) for i in range(1, len(s)) if i != k]

    def inside(d):
        (p, p_size), (q, q_size) = ends
        p, q = p + d * p_size, q + d * q_size
        far = hypot(*(max(u - d * size, 0) for u, size in rest))
        return p >= 0 and q >= 0 and sqrt(p) * sqrt(q) >= far

    return least(inside)


def outside_of_matrices(full, sizes):
    """The most negative eigenvalue in units of the diagonal's terms."""
    diagonal = np.diag(sizes)
    if abs(full[diagonal == 0]).max(initial=0) > 0:
        return inf
    root = np.sqrt(np.where(diagonal > 0, diagonal, 1))
    values, vectors = np.linalg.eigh(full / root / root[:, None])
    along = abs(vectors[:, 0])
    return max(-values[0], 0) / max(1, along @ (sizes / root / root[:, None]) @ along)


def least(inside):
    """The least d for which something holds, to a hundredth of itself."""
    if inside(0.0):
        return 0
    if not inside(4.0):
        return inf
    low, high = -40.0, log(4.0)
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (low, middle) if inside(exp(middle)) else (middle, high)
    return exp(high)


def curvature(proof):
    """The symmetric part of P, as floats."""
    size = len(proof["c"])
    full = matrix(proof["P"], (size, size)) if proof["P"] else np.zeros((size, size))
    return (full + full.T) / 2


def matrix(entries, shape):
    """All entries, zeros included."""
    full = np.zeros(shape)
    np.add.at(full, (entries["rows"], entries["columns"]), entries["values"])
    return full


def blocks(cones):
    """Each cone as (kind, rows, parameter), in the order of the rows."""
    lines = [("zero", 1, None)] * cones["zero"] + [("half-line", 1, None)] * cones["nonneg"]
    start = 0
    for kind, size, parameter in lines + curved(cones):
        yield kind, slice(start, start + size), parameter
        start += size


def curved(cones):
    """The cones that are no lines: kind, rows and parameter of each."""
    sizes = [("soc", size, None) for size in cones["soc"]]
    full = cones["psd_layout"] == "full"
    layout = cones["psd_layout"]
    sizes += [("psd", n * n if full else n * (n + 1) // 2, (n, layout)) for n in cones["psd"]]
    sizes += [("exp", 3, None)] * cones["exp"]
    sizes += [("power", len(powers) + 1, powers) for powers in cones["power"]]
    return sizes


def in_dual_cone(kind, z, parameter):
    """A point of the dual cone near z."""
    z = z.copy()
    if kind == "half-line":
        z[0] = max(z[0], 0)
    if kind == "soc":
        z[0] = max(z[0], np.linalg.norm(z[1:]))
    if kind == "psd":
        order, layout = parameter
        lack = max(-np.linalg.eigvalsh(unpacked(z, order, layout))[0], 0)
        z += lack * packed(np.eye(order), layout)
    if kind == "power":
        z[:-1] = np.maximum(z[:-1], 0)
        most = prod((a / p) ** p for a, p in zip(z[:-1], parameter, strict=True))
        z[-1] = np.clip(z[-1], -most, most)
    if kind == "exp":  # the closure of -u exp(v / u - 1) <= w, u < 0
        u, v, w = min(z[0], 0), z[1], max(z[2], 0)
        if u == 0:
            v = max(v, 0)
        elif v / u < 1 or w == 0:
            w = max(w, -u * exp(min(v / u - 1, 700)))
        else:
            v = max(v, u * (1 + log(-w / u)))
        z[:] = u, v, w
    return z


def unpacked(s, order, layout):
    """The symmetric matrix whose triangle, off the diagonal times the root of two, is s."""
    if layout == "full":
        return (s.reshape(order, order) + s.reshape(order, order).T) / 2
    full = np.zeros((order, order))
    # An upper triangle column by column lists the same entries as a lower one row by row.
    full[np.tril_indices(order) if layout == "upper" else np.triu_indices(order)] = s / sqrt(2)
    return full + full.T - np.diag(np.diag(full) * (2 - sqrt(2)))


def packed(full, layout):
    """The triangle of a symmetric matrix: what `unpacked` undoes."""
    if layout == "full":
        return full.reshape(-1)
    order = len(full)
    full = full * sqrt(2) - np.diag(np.diag(full) * (sqrt(2) - 1))
    return full[np.tril_indices(order) if layout == "upper" else np.triu_indices(order)]


def main(arguments):
    """Print what was found of each subproblem, and return the exit code."""
    tolerance = TOLERANCE
    if len(arguments) == 3 and arguments[0] == "--tolerance":
        tolerance, arguments = float(arguments[1]), arguments[2:]
    if len(arguments) != 1:
        usage = "usage: python check_certificates.py [--tolerance 1e-6] result.json"
        print(usage, file=sys.stderr)  # noqa: T201
        return UNREADABLE
    try:
        verdicts = check_file(arguments[0], tolerance)
    except Unreadable as error:
        print(error, file=sys.stderr)  # noqa: T201
        return UNREADABLE
    print(*(text for _, _, text, _ in verdicts), sep="\n")  # noqa: T201
    if not all(proved for _, proved, _, _ in verdicts):
        return NOT_PROVED
    return ON_TRUST if any(trust for *_, trust in verdicts) else PROVED


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
