"""The standalone page proves what is true, and says what it takes on trust."""

import copy

import pytest

from tests.attacks import forgeries

TRUSTED = {"integer", "a curved chain on faces", "a chain of matrices on faces"}


@pytest.fixture(scope="module")
def page():
    return forgeries.load_page()


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return forgeries.originals(tmp_path_factory.mktemp("honest"))


def test_honest_files_are_proved_and_trust_is_named_by_the_exit_code(page, records, tmp_path):
    for kind, record in records.items():
        code, said = forgeries.verdict(page, tmp_path / "file.json", record)
        assert code == (page.ON_TRUST if kind in TRUSTED else page.PROVED), (kind, said)
        assert ("taken on trust" in said) == (kind in TRUSTED)


def test_no_forgery_is_called_proved(tmp_path):
    tally = forgeries.attack(tmp_path, 300)
    assert tally.tried >= 300
    tally.check()


@pytest.mark.nightly
def test_no_forgery_of_many_is_called_proved(tmp_path):
    forgeries.attack(tmp_path, 5000).check()


@pytest.mark.parametrize("name", forgeries.UNDETECTED)
def test_what_the_page_cannot_detect_is_as_listed(page, records, tmp_path, name):
    """Should one of these be detected one day, the page's docstring says too little."""
    tally = forgeries.Tally(name)
    for kind, honest in records.items():
        record = copy.deepcopy(honest)
        if forgeries.UNDETECTED[name](tally.rng, record) is not False:
            code, said = forgeries.verdict(page, tmp_path / "file.json", record)
            assert code in (page.PROVED, page.ON_TRUST), (kind, said)
            tally.tried += 1
    assert tally.tried


def test_files_that_are_no_results_have_an_exit_code_of_their_own(page, tmp_path):
    for text in ("", "[]", "{}", '{"solutions": []}', '{"stages": 3, "solutions": 4}', "[" * 10**5):
        path = tmp_path / "other.json"
        path.write_text(text)
        assert page.main([str(path)]) == page.UNREADABLE
    assert page.main([str(tmp_path / "missing.json")]) == page.UNREADABLE
    assert page.main([]) == page.UNREADABLE


def test_a_tolerance_is_the_reader_s_to_choose(page, records, tmp_path):
    record = copy.deepcopy(records["linear"])
    record["solutions"][0]["value"] *= 1.001
    path = tmp_path / "file.json"
    assert forgeries.verdict(page, path, record)[0] == page.NOT_PROVED
    assert page.main(["--tolerance", "0.01", str(path)]) == page.PROVED
