"""Vertices and facets of linear fronts, against an enumeration in fractions."""

from fractions import Fraction
from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def null_vectors(rows, size):
    """A basis of all vectors that are orthogonal to the rows, by elimination in fractions."""
    rows, pivots = [list(map(Fraction, row)) for row in rows], []
    for column in range(size):
        rank = len(pivots)
        k = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if k is None:
            continue
        rows[rank], rows[k] = rows[k], rows[rank]
        rows[rank] = [v / rows[rank][column] for v in rows[rank]]
        for other in range(len(rows)):
            if other != rank and rows[other][column]:
                factor = rows[other][column]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[rank], strict=True)]
        pivots.append(column)
    basis = []
    for free in (j for j in range(size) if j not in pivots):
        vector = [Fraction(int(j == free)) for j in range(size)]
        for k, column in enumerate(pivots):
            vector[column] = -rows[k][free]
        basis.append(vector)
    return basis


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def basic_points(A, b):
    """The vertices of ``A x >= b``: every choice of rows that are met with equality."""
    size, found = len(A[0]), set()
    for chosen in combinations(range(len(A)), size):
        basis = null_vectors([[*A[k], -b[k]] for k in chosen], size + 1)
        if len(basis) == 1 and basis[0][-1]:
            x = [v / basis[0][-1] for v in basis[0][:-1]]
            if all(dot(row, x) >= side for row, side in zip(A, b, strict=True)):
                found.add(tuple(x))
    return found


def upper_image(values):
    """Vertices and facets of the convex hull of values and all that is worse than these.

    A facet is a hyperplane through as many of the values and directions as there are objectives,
    which has everything on one side.
    """
    count = len(values[0])
    kept = [
        v
        for v in values
        if not any(w != v and all(a <= b for a, b in zip(w, v, strict=True)) for w in values)
    ]
    ways = [tuple(Fraction(int(i == k)) for i in range(count)) for k in range(count)]
    spanning = [*((*v, Fraction(-1)) for v in kept), *((*way, Fraction(0)) for way in ways)]
    facets = set()
    for chosen in combinations(spanning, count):
        basis = null_vectors(chosen, count + 1)
        if len(basis) != 1:
            continue
        total = sum(basis[0][:-1], Fraction(0))
        if not total:
            continue
        plane = [v / total for v in basis[0]]
        if min(plane[:-1]) >= 0 and all(dot(plane, (*v, Fraction(-1))) >= 0 for v in kept):
            facets.add(tuple(plane))
    on = {v: [f[:-1] for f in facets if not dot(f, (*v, Fraction(-1)))] for v in kept}
    vertices = sorted(v for v, normals in on.items() if not null_vectors(normals, count))
    return vertices, {f: frozenset(v for v in vertices if f[:-1] in on[v]) for f in facets}


def drawn(seed, count):
    """Demands that costs are paid for, or a bounded set with gains as well."""
    rng = np.random.default_rng(seed)
    columns, rows = (4, 4) if count == 3 else (4, 3)
    A, b = rng.integers(0, 6, (rows, columns)), rng.integers(3, 20, rows)
    A[:, 0] += 1
    costs = rng.integers(0, 9, (count, columns))
    if seed % 2:
        costs = rng.integers(-4, 9, (count, columns))
        A, b = np.vstack([A, -np.ones((1, columns), int)]), np.append(b, -30)
    return A, b, costs


@pytest.mark.parametrize(("count", "seed"), [(3 + k % 3, k) for k in range(50)])
def test_vertices_and_facets_are_those_of_an_enumeration_in_fractions(count, seed):
    A, b, costs = drawn(seed, count)
    size = A.shape[1]
    rows = [*A.tolist(), *np.eye(size, dtype=int).tolist()]
    points = basic_points(rows, [*b.tolist(), *[0] * size])
    values = sorted({tuple(dot(c, x) for c in costs.tolist()) for x in points})
    vertices, facets = upper_image(values)

    x = cp.Variable(size, nonneg=True, name="x")
    up = [(seed + k) % 4 == 0 for k in range(count)]
    objectives = {
        f"f{k}": cp.Maximize(-c @ x) if m else cp.Minimize(c @ x)
        for k, (c, m) in enumerate(zip(costs, up, strict=True))
    }
    front = lx.frontier(objectives, [A @ x >= b])
    assert front.complete
    found = [
        tuple(-v if m else v for v, m in zip(point, up, strict=True)) for point in front.fractions
    ]
    assert sorted(found) == vertices
    # Which vertices lie on a facet is exact; its weights are floats.
    shown = {
        (tuple(f.weights.round(12).tolist()), frozenset(found[k] for k in f.points))
        for f in front.facets
    }
    wanted = {
        (tuple(np.round([float(w) for w in f[:-1]], 12).tolist()), on) for f, on in facets.items()
    }
    assert shown == wanted
    assert len(front.facets) == len(facets)
    assert front.state.solves <= len(vertices) + len(facets)
