"""Check the proof that a front is complete, without lexiprog.

    front.proof.save("proof.json")        # with lexiprog
    python check_fronts.py proof.json     # with numpy alone

An integer front: every listed point is feasible, no listed point beats another, each statement
follows from its multipliers by enumeration in integers, and the statements cover all that the
points leave open. A linear front, in fractions: each facet
follows from its multipliers, each vertex is reached by a point, and the facets have no other
vertex. A convex front: every vertex of the outer approximation is within the error of a point.

Exit codes: 0 all is proved; 1 something is not; 2 a file cannot be read; 3 all is proved but for
what the page names as taken on trust: bounds of an integer programming solver, values of programs
with continuous columns, points and hyperplanes of curved ones. Whether the numbers in the file are
those of your problem no page can tell.
"""

import json
import math
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

PROVED, REFUSED, UNREADABLE, TRUSTED = 0, 1, 2, 3
ON_TRUST = "; on trust: "
LARGEST = 2**62  # what integers of 64 bits can hold, with room for a sum of two
DIGITS = 4000  # of one number in a file


class Refused(Exception):
    """The proof does not show what it claims."""


def require(condition, sentence):
    """Refuse the proof unless something holds."""
    if not condition:
        raise Refused(sentence)


# Numbers of the file: what is none is not rounded to one.


def whole(values, size=None):
    """An array of integers of 64 bits, in one or in two dimensions."""
    rows = values if size is None else [v for row in values for v in row]
    if not all(type(v) is int and abs(v) < LARGEST for v in rows):
        raise ValueError("an integer is wanted")
    array = np.array(values, dtype=np.int64)
    return array if size is None else array.reshape(-1, size)


def fraction(value):
    """A fraction, written as an integer or as two."""
    if type(value) is not int and not (isinstance(value, str) and len(value) <= DIGITS):
        raise ValueError("a fraction is wanted")
    if isinstance(value, str) and not value.lstrip("-").replace("/", "", 1).isdecimal():
        raise ValueError(f"{value!r} is no fraction")
    return Fraction(value)


def finite(text):
    """A number with a point; infinity and NaN are none."""
    if not math.isfinite(float(text)):
        raise ValueError(f"{text} is no number")
    return float(text)


# Integers.


def open_regions(points, top):
    """Local upper bounds: what no point weakly dominates lies strictly below one of them."""
    bounds = np.array([top])
    for z in points:
        inside = (z < bounds).all(1)
        parents, kept = bounds[inside], [bounds[~inside]]
        for k in range(len(top)):
            rest = np.arange(len(top)) != k
            touching = kept[0][(kept[0][:, k] == z[k]) & (z[rest] < kept[0][:, rest]).all(1)]
            children = np.unique(np.where(rest, parents, z[k]), axis=0)
            mine = children[:, rest]
            larger = np.concatenate([touching[:, rest], mine])
            below = (mine[:, None] <= larger[None]).all(2)
            below[np.arange(len(mine)), len(touching) + np.arange(len(mine))] = False
            kept.append(children[~below.any(1)])
        bounds = np.concatenate(kept)
    return bounds


def worth_keeping(slacks, weights, equal):
    """Not the states that another one beats in every slack: one of the best of its group.

    A group has the same slacks of equations, where no state can beat another. A state is a column.
    """
    keys = np.arange(1, 2 * np.count_nonzero(equal), 2) ** 15 @ slacks[equal]
    order = np.lexsort([-(weights @ slacks), keys])
    keys, slacks = keys[order], np.take(slacks, order, axis=1)
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    if len(starts) > 1:
        starts = np.repeat(starts, np.diff(np.append(starts, len(keys))))
    left, alive, mine = np.arange(len(keys)), np.ones(len(keys), bool), slacks
    for turn in range(48):
        best = np.minimum(starts + turn, len(keys) - 1)
        if not alive[best].any():
            continue
        beaten = (mine <= slacks[:, best]).all(0) & (best < left) & alive[best]
        alive[left[beaten]] = False
        more = ~beaten & (left > best)
        if 4 * np.count_nonzero(more) < 3 * len(more):
            left, mine = left[more], np.compress(more, mine, axis=1)
            starts = starts if len(starts) == 1 else starts[more]
    return order[alive]


def leaves(matrix, limits, lower, upper, original, weights):
    """Slacks of all points within the bounds, but for some that others beat in every slack."""
    free, fixed = np.flatnonzero(lower < upper), lower == upper
    part, width = matrix[:, free], (upper - lower)[free]
    slack = limits - matrix[:, fixed] @ lower[fixed]
    slack = slack - np.minimum(part * lower[free], part * upper[free]).sum(1)
    if (slack < 0).any():
        return slack[:, None][:, :0]
    order = np.argsort(-(np.abs(part[original:]) * width / (slack[original:, None] + 1.0)).max(0),
                       kind="stable")  # fmt: skip
    equal = np.append((matrix[1:original] == -matrix[: original - 1]).all(1), False)
    states = slack[:, None]
    for turn, j in enumerate(order):
        up, down = np.maximum(part[:, j], 0)[:, None], np.maximum(-part[:, j], 0)[:, None]
        parts = [states - (up * v + down * (width[j] - v)) for v in range(width[j] + 1)]
        states = np.concatenate([np.compress((s >= 0).all(0), s, axis=1) for s in parts], axis=1)
        if states.shape[1] > 1500 and turn % 2:
            kept = worth_keeping(states[:original], weights, equal)
            states = np.take(states, kept, axis=1)
    return states


def follows(proof, statement, values):
    """Whether every point below the limits is weakly dominated by a listed value."""
    rows, costs, sides, lower, upper = (
        proof[k] for k in ("rows", "costs", "sides", "lower", "upper")
    )
    limits, axis, low, multipliers = statement
    matrix = np.vstack([rows, costs])
    sides = np.append(sides, np.array(limits) - 1)
    extra, bounds = [-costs[axis]], [-low]
    for weights in multipliers:
        lam, of_low = whole(weights[:-1]), int(whole(weights[-1:])[0])
        require((lam >= 0).all() and of_low >= 0, "a multiplier is negative")
        total = (lam.astype(float) @ np.abs(matrix) + of_low * np.abs(costs[axis])) @ np.maximum(
            abs(lower), abs(upper)
        )
        total += lam.astype(float) @ np.abs(sides) + of_low * abs(float(low))
        require(total < LARGEST, "a multiplier is too large")
        row, bound = lam @ matrix - of_low * costs[axis], int(lam @ sides) - of_low * low
        slack = bound - int(np.minimum(row * lower, row * upper).sum())
        if slack < 0:
            return
        room = slack // np.maximum(np.abs(row), 1)
        lower, upper = (
            np.where(row < 0, np.maximum(lower, upper - room), lower),
            np.where(row > 0, np.minimum(upper, lower + room), upper),
        )
        extra.append(row)
        bounds.append(bound)
    keep = [0, *range(max(1, len(extra) - 2 * len(costs)), len(extra))]
    states = leaves(
        np.vstack([matrix, *(extra[k] for k in keep)]), np.append(sides, [bounds[k] for k in keep]),
        lower, upper, len(matrix), 1.0 / np.maximum(np.abs(matrix).sum(1), 1),
    )  # fmt: skip
    reached = np.unique(np.array(limits) - 1 - states[len(rows) : len(matrix)].T, axis=0)
    listed = values[(values < limits).all(1)]
    for z in reached:
        require((listed <= z).all(1).any(), f"the point {z.tolist()} is missing")


def check_integers(proof):
    """A bounded integer program: feasible points, and statements that follow in integers."""
    n = len(proof["lower"])
    proof |= {key: whole(proof[key], n) for key in ("rows", "costs")}
    proof |= {key: whole(proof[key]) for key in ("sides", "lower", "upper")}
    costs, listed = proof["costs"], proof["points"]
    points = whole([[*map(int, x)] if isinstance(x, str) else x for x in listed], n)
    largest = np.maximum(abs(proof["lower"]), abs(proof["upper"])).astype(float)
    sizes = np.abs(np.vstack([proof["rows"], costs])) @ largest
    require(sizes.max(initial=0.0) < LARGEST, "a row is too large for integers of 64 bits")
    for limits, _, low, multipliers in proof["statements"]:
        whole([v for v in limits if v is not None] + ([] if multipliers is None else [low]))
    inside = (proof["lower"] <= points) & (points <= proof["upper"])
    feasible = inside.all() and (points @ proof["rows"].T <= proof["sides"]).all()
    require(feasible, "a listed point is not feasible")
    ends = costs * proof["lower"], costs * proof["upper"]
    return check_statements(
        proof, points @ costs.T, np.minimum(*ends).sum(1), np.maximum(*ends).sum(1) + 1
    )


def check_statements(proof, values, least, top):
    """That no value beats another, and that all that they leave open is closed."""
    for z in values:
        better = (values <= z).all(1) & (values < z).any(1)
        require(not better.any(), f"the listed point {z.tolist()} is dominated")
    limits = np.array([[math.inf if v is None else v for v in s[0]] for s in proof["statements"]],
                      dtype=float)  # fmt: skip
    limits, trusted = limits.reshape(-1, len(top)), 0
    for t, (below, axis, low, multipliers) in enumerate(proof["statements"]):
        if multipliers is None:
            trusted += 1
            continue
        rest = np.arange(len(top)) != axis
        wide = (limits[:t][:, rest] >= limits[t][rest]).all(1)
        known = limits[:t][wide, axis].max(initial=-math.inf)
        require(low <= max(least[axis], known), "what lies below a slice is not proved")
        follows(proof, (below, axis, low, multipliers), values)
    bounds = open_regions(values, top)
    for u in bounds:
        require((limits >= u).all(1).any(), f"nothing is said of the region below {u.tolist()}")
    return f"{len(values)} points, {len(limits)} statements, {len(bounds)} regions" + (
        f"{ON_TRUST}{trusted} statements, an integer programming solver's word" if trusted else ""
    )


def check_regions(proof):
    """An integer front with continuous columns: that the statements cover everything."""
    values = np.array(proof["values"], dtype=float)
    size = values.shape[1]
    told = check_statements(proof, values, np.full(size, -math.inf), np.full(size, math.inf))
    told += f"{', ' if ON_TRUST in told else ON_TRUST}the points' values"
    if "resolution" in proof:
        told += f"; others may be better by up to {proof['resolution']} in the objectives"
    return told


# Linear and convex: double description of {y : w y >= beta} in integers.


def reduced(row):
    """Integers without a common divisor."""
    divisor = math.gcd(*row) or 1
    return tuple(v // divisor for v in row)


def integers(fractions):
    """The direction of fractions in integers."""
    bottom = math.lcm(*(f.denominator for f in fractions))
    return reduced([int(f * bottom) for f in fractions])


def dot(a, b):
    """The inner product."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def rays_of(rows):
    """Extreme rays of {r : row r >= 0}, but for its lines, and how many of these there are."""
    size = len(rows[0])
    # Lines are kept until a row cuts them.
    lines = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    rays = {}
    for position, row in enumerate(rows):
        bit = 1 << position
        pivot = next((line for line in lines if dot(row, line)), None)
        if pivot is not None:
            lines.remove(pivot)
            at = dot(row, pivot)
            pivot, at = (pivot, at) if at > 0 else (tuple(-v for v in pivot), -at)

            def flat(r, row=row, pivot=pivot, at=at):
                return reduced([at * a - dot(row, r) * b for a, b in zip(r, pivot, strict=True)])

            lines = [flat(line) for line in lines]
            rays = {flat(r): mask | bit for r, mask in rays.items()}
            rays[pivot] = bit - 1
            continue
        at = {r: dot(row, r) for r in rays}
        new = {r: mask | (bit if at[r] == 0 else 0) for r, mask in rays.items() if at[r] >= 0}
        masks = list(rays.values())
        for a in [r for r in rays if at[r] < 0]:
            for b in [r for r in rays if at[r] > 0]:
                common = rays[a] & rays[b]
                if common.bit_count() < size - 2 - len(lines):  # an edge lies on so many rows
                    continue
                if sum(1 for mask in masks if mask & common == common) == 2:
                    between = [at[b] * x - at[a] * y for x, y in zip(a, b, strict=True)]
                    new[reduced(between)] = common | bit
        rays = new
    return rays, len(lines)


def echelon(lines):
    """The same lines, each with a place where it is one and the others are zero."""
    done = []
    for line in lines:
        place = next((k for k, v in enumerate(beside(line, done)) if v), None)
        require(place is not None, "a line is listed twice")
        line = [v / beside(line, done)[place] for v in beside(line, done)]
        done = [(k, beside(old, [(place, line)])) for k, old in done] + [(place, line)]
    return done


def beside(ray, lines):
    """The one of all rays that differ by lines which is zero in their places."""
    ray = list(ray)
    for place, line in lines:
        ray = [a - ray[place] * b for a, b in zip(ray, line, strict=True)]
    return ray


def check_linear(proof):
    """Facets that follow from multipliers, and whose vertices are all reached by points."""
    read = {
        key: [[fraction(v) for v in row] for row in proof[key]]
        for key in ("costs", "points", "lines", "facets", "multipliers", "rays")
    }
    read |= {key: [None if v is None else fraction(v) for v in proof[key]]
             for key in ("sides", "lower", "upper")}  # fmt: skip
    rows = [{int(j): fraction(v) for j, v in row.items()} for row in proof["rows"]]
    costs, n = read["costs"], len(read["lower"])
    require(all(0 <= j < n for row in rows for j in row), "a row has a column that is not there")
    require(0 <= whole([proof["equations"]])[0] <= len(rows), "there are not so many equations")
    # Rows are equations up to "equations", and row x <= side after it.
    for x, homogeneous in [(x, 0) for x in read["points"]] + [(x, 1) for x in read["rays"]]:
        for i, row in enumerate(rows):
            slack = (0 if homogeneous else read["sides"][i]) - sum(v * x[j] for j, v in row.items())
            require(slack == 0 if i < proof["equations"] else slack >= 0, "a row does not hold")
        for v, low, high in zip(x, read["lower"], read["upper"], strict=True):
            low, high = ((0 if e is not None else None) if homogeneous else e for e in (low, high))
            require((low is None or v >= low) and (high is None or v <= high), "a bound is broken")
    for (beta, *weights), y in zip(read["facets"], read["multipliers"], strict=True):
        require(min(weights) >= 0, "a weight is negative")
        require(all(v <= 0 for v in y[proof["equations"] :]), "a multiplier has the wrong sign")
        left = [dot(weights, column) for column in zip(*costs, strict=True)]
        for v, row in zip(y, rows, strict=True):
            for j, entry in row.items() if v else ():
                left[j] -= v * entry
        least = sum(v * s for v, s in zip(y, read["sides"], strict=True) if v)
        for j in range(n):
            if left[j]:
                end = read["lower" if left[j] > 0 else "upper"][j]
                require(end is not None, "the multipliers of a facet do not bound it")
                least += left[j] * end
        require(least >= beta, "a facet does not follow from its multipliers")
    p = len(costs)
    halfspaces = [(1, *[0] * p), *(integers([-f[0], *f[1:]]) for f in read["facets"])]
    rays, count = rays_of(halfspaces)
    ways = {integers([Fraction(0), *(dot(c, x) for c in costs)]) for x in read["rays"]}
    ways |= {tuple(int(i == k) for i in range(p + 1)) for k in range(1, p + 1)}
    lines = [[Fraction(0), *line] for line in read["lines"]]
    for line in lines:
        flat = all(dot(row, line) == 0 for row in halfspaces)
        both = {integers(line), integers([-v for v in line])} <= ways
        require(flat and both, "a line is not one of the front")
    lines = echelon(lines)
    require(len(lines) == count, "the facets do not bound a pointed set")

    def moved(found):
        return {integers(list(map(Fraction, beside(ray, lines)))) for ray in found}

    reached = moved([Fraction(1), *(dot(c, x) for c in costs)] for x in read["points"])
    require(moved(r for r in rays if r[0]) == reached, "the vertices are not those of the facets")
    ends = moved(r for r in rays if not r[0])
    require(ends <= moved(ways), "a direction is reached by no ray")
    return f"{len(reached)} vertices, {len(halfspaces) - 1} facets, in fractions"


def check_convex(proof):
    """Values are counted from the least of each objective, in shares of its range."""
    exact = [[fraction(v) for v in row] for row in proof["hyperplanes"]]
    require(all(v.denominator == 1 for row in exact for v in row), "hyperplanes are integers")
    rows = [tuple(map(int, row)) for row in exact]
    p = len(rows[0]) - 1
    rays, lines = rays_of([(1, *[0] * p), *rows])
    require(not lines, "the hyperplanes do not bound a pointed set")
    points = np.array(proof["values"])
    covers = {tuple(map(int, ray)): shares for ray, shares in proof["covers"]}
    for ray in rays:
        if ray[0]:
            require(ray in covers, f"nothing is said of the vertex {ray}")
            places, shares = zip(*covers[ray], strict=True)
            require(min(shares) >= 0 and abs(sum(shares) - 1) < 1e-9, "shares are not shares")
            v = np.array([c / ray[0] for c in ray[1:]])
            off = float(np.max(np.array(shares) @ points[list(places)] - v))
            require(off <= proof["error"] + 1e-12, f"{v.tolist()} is further off than the error")
    said = f"{len(points)} points, {len(rows)} hyperplanes, error {proof['error']:g} of the ranges"
    return f"{said}{ON_TRUST}the points' values and the hyperplanes"


CHECKS = {
    "integer": check_integers,
    "regions": check_regions,
    "linear": check_linear,
    "convex": check_convex,
}


def refuse_constant(text):
    """NaN and infinity, which JSON does not know."""
    raise ValueError(f"{text} is no number")


def check(path):
    """The exit code for one file, and what is said of it."""
    begin = time.process_time()
    try:
        text = Path(path).read_text(encoding="utf-8")
        document = json.loads(text, parse_constant=refuse_constant, parse_float=finite)
        told = CHECKS[document["kind"]](document)
    except Refused as reason:
        return REFUSED, f"refused: {reason}"
    except (OSError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError,
            RecursionError) as error:  # fmt: skip
        return UNREADABLE, f"no proof that can be read: {type(error).__name__}: {error}"
    seconds = time.process_time() - begin
    code = TRUSTED if ON_TRUST in told else PROVED
    return code, f"complete: {told} ({len(text) / 1e6:.2f} MB, {seconds:.1f} s)"


def main(paths):
    """Check every file; the exit code is that of the worst."""
    worst = PROVED
    for path in paths:
        code, said = check(path)
        stream = sys.stderr if code in (REFUSED, UNREADABLE) else sys.stdout
        stream.write(f"{path}: {said}\n")
        worst = max(worst, code, key=(PROVED, TRUSTED, UNREADABLE, REFUSED).index)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
