"""Check the certificates of a saved result from its numbers alone.

    result.save("result.json", proof=True)          # with lexiprog
    python check_certificates.py result.json        # with nothing of it

The file holds every problem as bare numbers, with a point x and multipliers z:

    minimise   1/2 x'Px + c'x + offset   subject to   b - Ax in K,   lower <= x <= upper

K is a product of zeros, half-lines and cones. For each z in the dual cone and each feasible y

    objective(y) >= offset - 1/2 x'Px - b'z + r'y    with   r = c + Px + A'z,

and r'y is smallest where each column stands at the end of its range that r points to. If that
bound is the objective at x, and x is feasible, nothing is better. Linear problems are checked in
exact rationals, others with numpy. A column without a bound is charged over a ball around x: a
point of a convex problem that is d times as far away is better by d times the gap at most.

A linear level that holds earlier optima by their optimal face has more equations and fixed columns
than they have. Each must follow from the multipliers of one of them: where z'(b - Ax) and r times
the distance of x from its end add up to the gap g of a proved optimum, a row is within g / z of
equality, and a column within g / r of its end. What that may be worth to the level is charged to
its bound.

Exit codes: 0, everything is proved. 1, something is not proved. 3, everything is proved but for
what is named as taken on trust. 2, the file cannot be read, or holds no proofs.

Taken on trust, and named: the bound of an integer problem, which is its solver's word; that a level
holds earlier optima, where it does so by a row, or by a face of a curved problem; the levels of a
leximin after the first.

What nobody can tell from the file alone: whether these numbers are those of the problem that was
declared (its rows, its sense, which of its levels hold which, which columns are called by which
name), and everything that is not needed for the proof (times, options, multipliers of declared
constraints, who solved it). The checksum is not looked at: whoever forges a file can write another.
`lexiprog.Result.load(path, program=...)` compares a file with a program.

The tolerance is this page's, or --tolerance; what the file says of its own is not used.
"""

import json
import sys
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from math import exp, inf, log, prod, sqrt
from pathlib import Path

try:
    import numpy as np
except ImportError:  # linear problems need nothing but Python
    np = None

REACH = 10  # radius of the ball, in sizes of x
TOLERANCE = 1e-6  # of gaps and violations
LARGEST = 1e300  # numbers beyond are not numbers that somebody solved with

PROVED, NOT_PROVED, UNREADABLE, ON_TRUST = range(4)  # exit codes


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
    demand(all(low <= high for low, high in zip(*ranges(proof), strict=True)), "bounds are crossed")
    demand(is_number(proof["offset"]), "the offset is no finite number")
    demand(is_number(proof["cost"]) and proof["cost"] > 0, "the unit of its cost is not positive")
    demand(all(unit > 0 for unit in proof["columns"]), "a column's unit is not positive")
    demand(all(type(proof[n]) is bool for n in ("maximise", "logarithmic")), "its sense is unclear")
    whole = proof["integer"] or []
    demand(all(type(j) is int and 0 <= j < columns for j in whole), "no such integer column")
    check_cones(proof["cones"], rows)


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
    value, misses, bound, ball = measure(proof)
    if ball:
        how += f" among all points within {float(ball):.3g} of it"
    if proof["integer"]:
        how = "is whole and feasible, with the solver's word for its bound"
        trust.append("the solver's bound")
        misses += [abs(proof["x"][j] - round(proof["x"][j])) for j in proof["integer"]]
        bound = -inf if found["bound"] is None else in_units_of_proof(found["bound"], proof)
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
            bound -= doubt_of_faces(proof, owners)
        else:
            trust.append(f"that it is on the face of {', '.join(faces)}")
    if found.get("levels"):
        trust.append("all levels but the first")
    # All in the units of the proof, in which the problem's numbers are about one.
    told = in_units_of_proof(found["value"], proof)
    gaps = [abs(float(value - end)) / (1 + abs(float(value))) for end in (bound, told)]
    # One that is not a number is not small: each is asked by itself.
    proved = all(gap <= tolerance for gap in gaps) and all(miss <= tolerance for miss in misses)
    gap, miss = max(gaps), float(max(misses, default=0))
    text = f"{name}: {found['value']:.10g} {how if proved else 'is NOT proved'}"
    text += f" (gap {gap:.1e}, violation {miss:.1e})"
    if proved and trust:
        text += f"; taken on trust: {', '.join(trust)}"
    return name, proved, text, trust


def measure(proof):
    """Value, violations, bound and ball of a problem, from its numbers alone."""
    return (in_rationals if is_linear(proof) else in_floats)(proof)


def owner(proof, found, own, tolerance):
    """The proof of a held optimum in the units of its holder, and how far it is from its bound."""
    own = (proof.get("owners") or {}).get(found["name"], own)
    check_form(own)
    value, misses, bound, ball = in_rationals(own)
    told = Fraction(in_units_of_proof(found["value"], own))
    size = 1 + abs(value)
    missed = max(misses, default=0) > tolerance
    if ball or missed or abs(told - value) > Fraction(tolerance) * size:
        return own, inf
    return own, abs(value - bound)


def doubt_of_faces(proof, owners):
    """What a level may owe to equations that its owners' multipliers only nearly prove.

    Infinite if one of its equations or fixed columns does not follow from them at all.
    """
    if any(gap == inf for _, gap in owners):
        return inf
    rows, reduced = lines(proof), reduced_costs(proof)
    near, near_column = {}, [inf] * len(reduced)  # how far from equality a row, a column may be
    lower, upper = ranges(proof)
    for own, gap in owners:
        if not set(lines(own)) <= set(rows):
            return inf  # it is no optimum over rows that this level demands
        for place, line in enumerate(lines(own)):
            z = Fraction(own["z"][place])
            if place < own["cones"]["zero"]:
                near[line] = 0
            elif z > 0:
                near[line] = min(near.get(line, inf), gap / z)
        for j, (low, high, r) in enumerate(zip(*ranges(own), reduced_costs(own), strict=True)):
            if (lower[j], upper[j]) == (low, high):
                near_column[j] = 0
            elif lower[j] == upper[j] == (low if r > 0 else high) and r != 0:
                near_column[j] = min(near_column[j], gap / abs(r))
    doubt = 0
    for line, z in list(zip(rows, proof["z"], strict=True))[: proof["cones"]["zero"]]:
        doubt += charge(near.get(line, inf), max(-Fraction(z), 0))
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


def reduced_costs(proof):
    """What the multipliers leave of the costs."""
    reduced = [Fraction(number) for number in proof["c"]]
    for i, j, a in zip(*(proof["A"][part] for part in ("rows", "columns", "values")), strict=True):
        reduced[j] += Fraction(a) * Fraction(proof["z"][i])
    return reduced


def in_units_of_proof(value, proof):
    """A value of the declared objective, which may be maximised or solved in logarithms."""
    value = log(value) if proof["logarithmic"] else value
    return (-value if proof["maximise"] else value) * proof["cost"]


def in_rationals(proof):
    """Value, violations, bound and ball of a linear problem; every number is exact."""
    x, c, b = ([Fraction(number) for number in proof[name]] for name in "xcb")
    z = [Fraction(number) for number in proof["z"] or [0] * len(b)]
    zero = proof["cones"]["zero"]
    z[zero:] = [max(number, Fraction(0)) for number in z[zero:]]  # their dual cone
    slack, sizes, reduced = list(b), [abs(number) for number in b], list(c)
    for i, j, a in zip(*(proof["A"][part] for part in ("rows", "columns", "values")), strict=True):
        slack[i] -= Fraction(a) * x[j]
        sizes[i] += abs(Fraction(a) * x[j])
        reduced[j] += Fraction(a) * z[i]
    outside = [abs(s) if i < zero else max(-s, 0) for i, s in enumerate(slack)]
    misses = [out / max(1, size) for out, size in zip(outside, sizes, strict=True)] + beyond(
        proof, x
    )
    value = sum(cost * xj for cost, xj in zip(c, x, strict=True)) + Fraction(proof["offset"])
    charges, ball = charged(proof, x, reduced)
    bound = Fraction(proof["offset"]) - sum(bi * zi for bi, zi in zip(b, z, strict=True)) + charges
    return value, misses, bound, ball


def beyond(proof, x):
    """How far each column is beyond its bounds."""
    lower, upper = ranges(proof)
    columns = list(zip(lower, x, upper, strict=True))
    below = [(low - xj) / max(1, abs(low)) for low, xj, _ in columns if -inf < low > xj]
    return below + [(xj - high) / max(1, abs(high)) for _, xj, high in columns if xj > high < inf]


def ranges(proof):
    """Both bounds of every column."""
    size = len(proof["c"])
    return proof["lower"] or [-inf] * size, proof["upper"] or [inf] * size


def charged(proof, x, reduced):
    """The least of reduced'y over all y in their ranges, and the ball where there are none."""
    radius = REACH * max(1, *map(abs, x))
    total, ball = 0, None
    for low, high, xj, r in zip(*ranges(proof), x, reduced, strict=True):
        end = low if r > 0 else high
        if r != 0 and end in (-inf, inf):
            ball = radius
            end = xj - radius if r > 0 else xj + radius
        total += r * (Fraction(end) if isinstance(r, Fraction) else end) if r != 0 else 0
    return total, ball


def in_floats(proof):
    """Value, violations, bound and ball of a problem with cones or a quadratic objective."""
    x, c, b = (np.array(proof[name], dtype=float) for name in "xcb")
    A = matrix(proof["A"], (b.size, c.size))
    P = matrix(proof["P"], (c.size, c.size)) if proof["P"] else np.zeros((c.size, c.size))
    if abs(P - P.T).max() > 0 or np.linalg.eigvalsh(P)[0] < -1e-12 * abs(P).max():
        return 0.0, [inf], -inf, None  # not convex: nothing of this holds
    slack, z = b - A @ x, np.array(proof["z"] or np.zeros(b.size))
    sizes = np.maximum(1, np.maximum(abs(b), abs(A) @ abs(x)))
    misses = beyond(proof, x.tolist())
    for kind, rows, power in blocks(proof["cones"]):
        misses.append(distance(kind, slack[rows], power) / max(sizes[rows]))
        z[rows] = in_dual_cone(kind, z[rows], power)
    curve = P @ x
    charges, ball = charged(proof, x.tolist(), (c + curve + A.T @ z).tolist())
    bound = proof["offset"] - 0.5 * x @ curve - b @ z + charges
    return 0.5 * x @ curve + c @ x + proof["offset"], misses, bound, ball


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


def distance(kind, s, parameter):
    """How far a point is from a cone; an upper bound that vanishes on it."""
    if kind == "zero":
        return abs(s[0])
    if kind == "half-line":
        return max(-s[0], 0)
    if kind == "soc":
        return max(np.linalg.norm(s[1:]) - s[0], 0)
    if kind == "psd":
        return max(-np.linalg.eigvalsh(unpacked(s, *parameter))[0], 0)
    if kind == "power":
        product = prod(max(a, 0) ** p for a, p in zip(s[:-1], parameter, strict=True))
        return max(*-s[:-1], abs(s[-1]) - product, 0)
    u, v, w = s  # the closure of v exp(u / v) <= w, v > 0
    ways = [max(abs(v), u, -w)]
    if v > 0 and u / v < 700:
        ways.append(v * exp(u / v) - w)
    if v > 0 and w > 0:
        ways.append(u - v * log(w / v))
    return max(min(ways), 0)


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
        z += lack * packed_identity(order, layout)
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


def packed_identity(order, layout):
    """The identity as its triangle."""
    eye = np.eye(order)
    if layout == "full":
        return eye.reshape(-1)
    return eye[np.tril_indices(order) if layout == "upper" else np.triu_indices(order)]


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
