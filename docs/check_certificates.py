"""Check the certificates of a saved result from its numbers alone.

    result.save("result.json", proof=True)          # with lexiprog
    python check_certificates.py result.json        # with nothing of it

The file holds every problem as bare numbers, with a point x and multipliers z:

    minimise   1/2 x'Px + c'x + offset   subject to   b - Ax in K,   lower <= x <= upper

K is a product of zeros, half-lines and cones. For each z in the dual cone and each feasible y

    objective(y) >= offset - 1/2 x'Px - b'z + r'y    with   r = c + Px + A'z,

and r'y is smallest where each column stands at the end of its range that r points to. If that
bound is the objective at x, and x is feasible, nothing is better. Linear problems are checked in
exact rationals, others with numpy. Of integer problems the point is checked; their bound is the
solver's word. A column without a bound is charged over a ball around x: a point of a convex problem
that is d times as far away is better by d times the gap at most.

A linear level that holds earlier optima by their optimal face has more equations and fixed columns
than they have. Each must follow from the multipliers of one of them: where z'(b - Ax) and r times
the distance of x from its end add up to the gap g of a proved optimum, a row is within g / z of
equality, and a column within g / r of its end. What that may be worth to the level is charged to
its bound. Faces of curved problems are taken as given.
"""

import json
import sys
from fractions import Fraction
from math import exp, inf, log, prod, sqrt
from pathlib import Path

try:
    import numpy as np
except ImportError:  # linear problems need nothing but Python
    np = None

REACH = 10  # radius of the ball, in sizes of x


def check_file(path):
    """A list of (name, whether it is proved, what was found), one for each problem."""
    record = plain(json.loads(Path(path).read_text(encoding="utf-8")))
    found = [(solution, solution.get("evidence")) for solution in record["solutions"]]
    if not all(proof for _, proof in found):
        raise SystemExit(f"{path} holds no proofs: save it with result.save(path, proof=True).")
    known = {solution["name"]: (solution, proof) for solution, proof in found}
    return [check(solution, proof, known) for solution, proof in found]


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


def is_linear(proof):
    """Whether a problem has linear rows and a linear objective only."""
    kinds = proof["cones"]
    return not (proof["P"] or kinds["soc"] or kinds["psd"] or kinds["exp"] or kinds["power"])


def check(found, proof, known):
    """Judge one problem: the violations of its point, and the distance to a proved bound."""
    name, certificate = found["name"], found["certificate"]
    linear = is_linear(proof)
    how = f"proved in {'exact rationals' if linear else 'floating point'}"
    value, misses, bound, ball = (in_rationals if linear else in_floats)(proof)
    if ball:
        how += f" among all points within {float(ball):.3g} of it"
    if proof["integer"]:
        how = "is whole and feasible, with the solver's word for its bound"
        misses += [abs(proof["x"][j] - round(proof["x"][j])) for j in proof["integer"]]
        bound = -inf if found["bound"] is None else in_units_of_proof(found["bound"], proof)
    faces = [lock["name"] for lock in found["locks"] if lock["kind"] == "face"]
    if certificate["basis"] == "exact":
        faces = []  # there the held optima are rows of the proof
    if faces:
        how += f", on the optimal face of {', '.join(faces)}"
        if linear and all(is_linear(known[face][1]) for face in faces):
            bound -= doubt_of_faces(proof, [owner(proof, *known[face]) for face in faces])
    # All in the units of the proof, in which the problem's numbers are about one.
    told = in_units_of_proof(found["value"], proof)
    gap = float(max(abs(value - bound), abs(value - told)) / (1 + abs(value)))
    miss = float(max(misses, default=0))
    proved = gap <= certificate["gap_tolerance"] and miss <= certificate["tolerance"]
    text = f"{name}: {found['value']:.10g} {how if proved else 'is NOT proved'}"
    return name, proved, f"{text} (gap {gap:.1e}, violation {miss:.1e})"


def owner(proof, found, own):
    """The proof of a held optimum in the units of its holder, and how far it is from its bound."""
    own = (proof.get("owners") or {}).get(found["name"], own)
    value, misses, bound, ball = in_rationals(own)
    told = Fraction(in_units_of_proof(found["value"], own))
    size = 1 + abs(value)
    missed = max(misses, default=0) > found["certificate"]["tolerance"]
    if ball or missed or abs(told - value) > Fraction(found["certificate"]["gap_tolerance"]) * size:
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
    if np.linalg.eigvalsh(P)[0] < -1e-9 * (1 + abs(P).max()):
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
    sizes = [("zero", 1, None)] * cones["zero"] + [("half-line", 1, None)] * cones["nonneg"]
    sizes += [("soc", size, None) for size in cones["soc"]]
    full = cones["psd_layout"] == "full"
    layout = cones["psd_layout"]
    sizes += [("psd", n * n if full else n * (n + 1) // 2, (n, layout)) for n in cones["psd"]]
    sizes += [("exp", 3, None)] * cones["exp"]
    sizes += [("power", len(powers) + 1, powers) for powers in cones["power"]]
    start = 0
    for kind, size, parameter in sizes:
        yield kind, slice(start, start + size), parameter
        start += size


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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python check_certificates.py result.json")
    verdicts = check_file(sys.argv[1])
    print(*(text for _, _, text in verdicts), sep="\n")  # noqa: T201
    raise SystemExit(0 if all(proved for _, proved, _ in verdicts) else 1)
