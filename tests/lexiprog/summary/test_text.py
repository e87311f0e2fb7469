"""Tables and arrays as text."""

import numpy as np

from lexiprog.summary import TableCell, TableSummary, array_text, text_table


def test_columns_stand_under_each_other_and_numbers_to_the_right():
    rows = (("HIGHS", "1.5"), ("a", "12.25"))
    table = TableSummary(
        "solvers",
        ("name", "value"),
        tuple(tuple(TableCell(text) for text in row) for row in rows),
        numeric=frozenset({"value"}),
        notes=(TableCell("both agree"),),
    )
    assert text_table(table).splitlines() == [
        "name   value",
        "HIGHS    1.5",
        "a      12.25",
        "both agree",
    ]


def test_long_arrays_are_shortened_and_short_ones_are_not():
    assert array_text(np.arange(3.0)) == "[0., 1., 2.]"
    assert "..." in array_text(np.arange(9.0))
