"""The page that checks fronts without this library believes no forged proof."""

import json

import pytest

from tests.attacks import fronts


def test_no_forged_proof_of_a_front_is_believed(tmp_path):
    fronts.attack(tmp_path, 120).check()


@pytest.mark.nightly
def test_no_forged_proof_of_thousands_is_believed(tmp_path):
    fronts.attack(tmp_path, 3000).check()


def test_the_exit_code_tells_what_is_proved_and_what_is_taken_on_trust(tmp_path, capsys):
    page, documents = fronts.load_page(), fronts.originals(tmp_path)
    path = tmp_path / "proof.json"

    def code(document):
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return page.main([str(path)])

    for document in documents.values():
        assert code(document) == page.PROVED
    whole, linear = documents["integer"], documents["linear"]
    for statement in whole["statements"]:
        statement[2:] = [None, None]
    assert code(whole) == page.TRUSTED
    assert "on trust: " in capsys.readouterr().out
    convex = {
        "kind": "convex", "hyperplanes": [[0, 1, 0], [0, 0, 1]], "values": [[0.0, 0.0]],
        "covers": [[[1, 0, 0], [[0, 1.0]]]], "error": 0.0,
    }  # fmt: skip
    assert code(convex) == page.TRUSTED
    assert code(convex | {"hyperplanes": [[-1, 2, 0], [0, 0, 1]]}) == page.REFUSED
    for text in ("", "[]", "{}", '{"kind": "x"}', json.dumps(linear)[:-9], "[" * 9000):
        assert code(text) == page.UNREADABLE
    for equations in (-1, 99):  # a slice from behind would leave multipliers unread
        assert code(linear | {"equations": equations}) == page.REFUSED
    assert code(linear | {"sides": ["1e400000000"] * len(linear["sides"])}) == page.UNREADABLE
    assert code(json.dumps(convex).replace("1.0", "NaN")) == page.UNREADABLE
    assert code(json.dumps(convex).replace('"error": 0.0', '"error": 1e999')) == page.UNREADABLE
