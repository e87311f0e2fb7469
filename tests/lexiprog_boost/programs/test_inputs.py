"""What no program can be made of is named."""

import numpy as np
import pytest

from lexiprog_boost import lexiboost_program

M2, Y2 = [[1, -1], [-1, 1]], ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["a", "a"]}, "one class"),
        ({"y": ["a"]}, "one label a row"),
        ({"sample_weight": [1, 0]}, "class 'b' has no point of weight > 0"),
        ({"margins": [[1, np.nan], [-1, 1]]}, "the margin of member 1 on point 0 is nan"),
        ({"margins": [1, -1]}, "one row a point"),
        ({"class_costs": {"a": 1, "b": 1, "c": 1}}, "'c', which is no class"),
        ({"class_costs": {"a": -1, "b": 1}}, "cost of class 'a' is -1.0"),
        ({"class_costs": [1, np.inf]}, "cost of class 'b' is inf"),
        ({"class_costs": [1]}, "1 costs for the 2 classes"),
        ({"class_costs": [0, 0]}, "zero for every class"),
        ({"margin_target": 0}, "margin_target is 0"),
        ({"margin_target": 1.5}, "margin_target is 1.5"),
        ({"weight_cap": 0.4}, "at least 1/2"),
        ({"weight_cap": -1}, "above 0"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        lexiboost_program(**{"margins": M2, "y": Y2, **change})
