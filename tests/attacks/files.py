"""Saved results that somebody, or a disk, has changed."""

import json
from hashlib import sha256

import lexiprog as lx
from tests.attacks.tally import Tally
from tests.lexiprog.results.test_result import Plant

STRANGE = [
    None, True, -3, 1e400, "text", [], {}, [[]], 10**400, {"float": "nan"}, {"float": "x"},
    {"fraction": "1e400000000"}, {"fraction": "1/0"}, {"pairs": 1}, {"pairs": [[1]]}, 0.5, "",
    {"array": [1], "shape": [2], "dtype": "f8"}, {"array": [10**400], "shape": [1], "dtype": "i8"},
    {"array": [1], "shape": [1], "dtype": "V9"}, {"array": 1, "shape": 1, "dtype": 1},
    json.loads("[" * 900 + "]" * 900), -1e308, "\x1b[2J", 2**63,
]  # fmt: skip


def signed(record):
    """The record with the checksum of what it holds, as a forger would write it."""
    body = {key: part for key, part in record.items() if key not in ("format", "checksum")}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return record | {"checksum": sha256(text.encode()).hexdigest()}


def original(folder):
    """A result of several kinds, as it was saved with its proofs."""
    Plant().program.solve().save(folder / "honest.json", proof=True)
    return json.loads((folder / "honest.json").read_text())


def attack_digits(folder, count):
    """One digit, letter or bit is another: refused, unless it is the same number."""
    tally, record = Tally("changed characters in saved files"), original(folder)
    text, path = json.dumps(record, indent=1), folder / "changed.json"
    while tally.tried < count:
        place = tally.rng.randrange(len(text))
        other = chr(ord(text[place]) ^ 1 << tally.rng.randrange(7))
        changed = text[:place] + other + text[place + 1 :]
        path.write_text(changed, encoding="utf-8")
        try:
            same = json.loads(changed) == record
        except ValueError:
            same = False
        try:
            lx.Result.load(path)
            tally.note(same, f"{text[place - 20 : place + 20]!r} with {other!r}")
        except lx.LexiprogError:
            tally.note(True, "")
        except Exception as error:  # noqa: BLE001 - what must not escape
            tally.note(False, repr(error))
    return tally


def attack_malformed(folder, count):
    """Strange values with a checksum to match: loaded whole, or refused by name."""
    tally, record = Tally("malformed files with a checksum to match"), original(folder)
    path, places = folder / "broken.json", []

    def walk(value, place):
        places.append(place)
        if isinstance(value, dict | list):
            for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                walk(part, (*place, key))

    walk(record, ())
    while tally.tried < count:
        changed = json.loads(json.dumps(record))
        place = tally.rng.choice(places[1:])
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        strange = tally.rng.choice(STRANGE)
        inner[place[-1]] = strange
        try:
            path.write_text(json.dumps(signed(changed)).replace("Infinity", "1e400"))
            loaded = lx.Result.load(path)
            str(loaded), repr(loaded), loaded.save(folder / "again.json")
            tally.note(True, "")
        except lx.LexiprogError as error:
            tally.note("broken.json" in str(error), f"{place} {error}")
        except Exception as error:  # noqa: BLE001 - what must not escape
            tally.note(False, f"{place} {strange!r:.50}: {error!r:.200}")
    return tally


def attack_points(folder, count):
    """Another point or value, with a checksum to match: its program refuses it."""
    tally, record = Tally("forged points, given to their program"), original(folder)
    path, plant = folder / "forged.json", Plant()
    while tally.tried < count:
        changed = json.loads(json.dumps(record))
        found = tally.rng.choice(changed["solutions"])
        step = tally.rng.choice([-1, 1]) * 10 ** tally.rng.uniform(-2, 3)
        if tally.rng.random() < 0.3:
            found["value"] += step
        else:
            name = tally.rng.choice(list(found["variables"]))
            values = found["variables"][name]["array"]
            values[:] = [value + step * (1 + k) for k, value in enumerate(values)]
        path.write_text(json.dumps(signed(changed)))
        try:
            lx.Result.load(path, plant.program)
            tally.note(False, f"{found['name']} moved by {step:g}")
        except lx.LexiprogError:
            tally.note(True, "")
    return tally
