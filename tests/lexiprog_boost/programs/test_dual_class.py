"""The dual of one class: where its weight may go, and what it refuses."""

import numpy as np
import pytest

from lexiprog_boost import dual_balance_program, dual_class_program

M2, Y2 = [[1, -1], [-1, 1]], ["a", "b"]


def test_f4_a_printed_class_dual_may_leave_its_own_class_without_weight():
    # The only member is right on class 0 and wrong on class 1, where all the weight goes.
    D = dual_class_program([[1], [1], [-1], [-1]], [0, 0, 1, 1], 0).solve().final["D"]
    np.testing.assert_allclose(D, [0, 0, 0.5, 0.5], atol=1e-9)


def test_a_label_that_is_no_class_and_an_unknown_form_are_refused():
    with pytest.raises(ValueError, match="'c' is no class"):
        dual_class_program(M2, Y2, "c")
    with pytest.raises(ValueError, match="unknown form"):
        dual_balance_program(M2, Y2, [0, 0], form="printed")
    with pytest.raises(ValueError, match="no value for class 'b'"):
        dual_balance_program(M2, Y2, {"a": 0})
