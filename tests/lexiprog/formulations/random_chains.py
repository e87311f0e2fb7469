"""Random lexicographic chains, degenerate on purpose.

Every chain is bounded (each column has two whole bounds) and feasible (its rows hold at a known
point). Ties, optimal faces, redundant rows and objectives that were had before are drawn by
intent, not by luck; in scaled chains rows span nine powers of ten and columns sixteen of two.
"""

from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from tests.lexiprog.formulations.exact import Chain

ROW_POWERS = (-3, 6)  # of ten
COLUMN_POWERS = (-8, 8)  # of two


@st.composite
def chains(draw, *, integers=None, lengths=(2, 6), scaled=None):
    """Chains with 2-5 columns, 0-6 rows and so many objectives.

    ``integers`` and ``scaled`` say whether there are integer columns and uneven scales; None
    leaves it to chance. Sizes come from hypothesis, numbers from one seed.
    """
    size, rows, length = (
        draw(st.integers(2, 5)),
        draw(st.integers(0, 6)),
        draw(st.integers(*lengths)),
    )
    bounds_as_rows = draw(st.booleans())
    integers = draw(st.booleans()) if integers is None else integers
    scaled = draw(st.booleans()) if scaled is None else scaled
    drawing = Drawing(Random(draw(st.integers(0, 2**32 - 1))), size)
    for _ in range(rows):
        drawing.add_row()
    for _ in range(length):
        drawing.add_objective()
    return drawing.chain(integers=integers, scaled=scaled, bounds_as_rows=bounds_as_rows)


@dataclass
class Drawing:
    """One chain while it is drawn."""

    random: Random
    size: int
    rows: list = field(default_factory=list)
    objectives: list = field(default_factory=list)

    def __post_init__(self):
        self.lower = [self.random.choice([0, 0, 0, -1, -3]) for _ in range(self.size)]
        self.upper = [low + self.random.randint(1, 6) for low in self.lower]
        self.inside = [
            self.random.randint(*limits) for limits in zip(self.lower, self.upper, strict=True)
        ]

    def vector(self):
        return tuple(self.random.randint(-3, 3) for _ in range(self.size))

    def add_row(self):
        """A new row, a copy of an earlier one, or the sum of two: redundant as often as not."""
        sense = self.random.choice(["<=", "<=", ">=", "=="])
        kind = self.random.choice(["new", "new", "copy", "sum"]) if self.rows else "new"
        if kind == "new":
            coefficients = self.vector()
        else:
            coefficients, sense, _ = self.random.choice(self.rows)
        if kind == "sum":
            coefficients, sense = _sum(coefficients, self.random.choice(self.rows)[0]), "<="
        at_point = sum(c * x for c, x in zip(coefficients, self.inside, strict=True))
        room = {"<=": 1, ">=": -1, "==": 0}[sense] * self.random.randint(0, 3)
        self.rows.append((coefficients, sense, at_point + room))

    def add_objective(self):
        """A new objective, one parallel to a row (a whole optimal face), or one had before."""
        sense = self.random.choice(["min", "max"])
        kinds = (
            ["new", "new"] + ["row"] * bool(self.rows) + ["again", "sum"] * bool(self.objectives)
        )
        kind = self.random.choice(kinds)
        if kind == "new":
            coefficients = self.vector()
        elif kind == "row":
            coefficients = self.random.choice(self.rows)[0]
        else:
            sense, coefficients = self.random.choice(self.objectives)
            factor = self.random.choice([-1, 1, 2])
            coefficients = tuple(factor * c for c in coefficients)
            if kind == "sum":
                coefficients = _sum(coefficients, self.vector())
        self.objectives.append((sense, coefficients))

    def chain(self, *, integers, scaled, bounds_as_rows):
        whole = [integers and self.random.random() < 0.5 for _ in range(self.size)]
        if integers:
            whole[self.random.randrange(self.size)] = True
        return Chain(
            lower=tuple(self.lower),
            upper=tuple(self.upper),
            rows=tuple(self.rows),
            objectives=tuple(self.objectives),
            whole=tuple(whole),
            row_powers=tuple(self.random.randint(*ROW_POWERS) * scaled for _ in self.rows),
            column_powers=tuple(
                self.random.randint(*COLUMN_POWERS) * (scaled and not w) for w in whole
            ),
            bounds_as_rows=bounds_as_rows,
        )


def _sum(first, second):
    return tuple(a + b for a, b in zip(first, second, strict=True))
