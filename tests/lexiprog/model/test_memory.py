"""What is remembered of objects lasts as long as they do, and nobody else's takes its place."""

import gc
import weakref

from lexiprog.model.expressions import Registry


class Thing:
    pass


def test_what_is_gone_is_forgotten_when_something_new_is_remembered():
    registry, kept, witness = Registry(), Thing(), Thing()
    fate = weakref.ref(witness)
    key = Thing()
    registry.add(key, witness)
    registry.add(kept, 1)
    assert registry.get(key) is witness
    assert set(map(id, registry.alive())) == {id(key), id(kept)}
    del key, witness
    gc.collect()
    assert registry.alive() == [kept]
    registry.add(kept, 2)
    assert fate() is None
    assert registry.get(kept) == 2


def test_an_object_at_the_place_of_another_is_a_new_one():
    """Python gives freed places to new objects at once, so that ids return."""
    registry, seen, returned = Registry(), set(), 0
    for round_ in range(200):
        thing = Thing()
        returned += id(thing) in seen
        seen.add(id(thing))
        assert registry.get(thing) is None
        registry.add(thing, round_)
        assert registry.get(thing) == round_
        del thing
    assert returned  # else this shows nothing
    assert registry.alive() == []


def test_what_runs_when_an_object_goes_is_not_python():
    """Ctrl-C strikes between lines of Python; where an object goes, it would be ignored."""
    registry, thing = Registry(), Thing()
    registry.add(thing, 1)
    (reference,) = weakref.getweakrefs(thing)
    assert not hasattr(reference.__callback__, "__code__")
