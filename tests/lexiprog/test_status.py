"""A status is a word of its own and the text it is shown as."""

import pytest

from lexiprog.status import Status


@pytest.mark.parametrize("text", [*Status, "an unheard-of word"])
def test_a_status_is_its_own_text_and_unknown_ones_are_failures(text):
    status = Status.of(text)
    assert status == (text if text in list(Status) else "solver_error")
    assert repr(status) == repr(str(status))
