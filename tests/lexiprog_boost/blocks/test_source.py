"""The same weights from whatever the blocks come in."""

import numpy as np
import pytest

from lexiprog_boost import lexicographic_weights
from lexiprog_boost.blocks import Blocks, count_rows, in_blocks, source
from lexiprog_boost.margins import class_mean_margins
from tests.lexiprog_boost.written_out import lexi_programs as independent

VOTES, Y = independent.margins(2, points=300, members=4, kind="votes")
WEIGHTS = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
CUTS = [slice(0, 100), slice(100, 101), slice(101, 300)]


def as_list(_, weights):
    return [(VOTES[c], Y[c], weights[c]) for c in CUTS], None, None


def as_function(_, weights):
    return lambda: ((VOTES[c], Y[c], weights[c]) for c in CUTS), None, None


def as_memory_map(folder, weights):
    path = folder / "margins.npy"
    np.save(path, VOTES.astype(np.int8))
    return np.load(path, mmap_mode="r"), Y, weights


def as_parquet(folder, weights):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow", reason="needs the extra lexiprog[dask]")
    frame = pandas.DataFrame(VOTES, columns=list("abcd"))
    frame["label"], frame["weight"] = Y, weights
    for k, cut in enumerate(CUTS):
        frame[cut].to_parquet(folder / f"part{k}.parquet")
    return folder, "label", "weight"


def as_dask_array(_, weights):
    da = pytest.importorskip("dask.array", reason="needs the extra lexiprog[dask]")
    return (
        da.from_array(VOTES, chunks=(70, 2)),
        da.from_array(Y, chunks=50),
        da.from_array(weights, chunks=300),
    )


def as_dask_frame(_, weights):
    dd = pytest.importorskip("dask.dataframe", reason="needs the extra lexiprog[dask]")
    pandas = pytest.importorskip("pandas")
    frame = dd.from_pandas(pandas.DataFrame(VOTES, columns=list("abcd")), npartitions=4)
    column = dd.from_pandas(pandas.Series(Y), npartitions=4)
    return frame, column, dd.from_pandas(pandas.Series(weights), npartitions=4)


KINDS = [as_list, as_function, as_memory_map, as_parquet, as_dask_array, as_dask_frame]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("target", "passes"), [(1.0, 1), (0.5, 2)])
def test_blocks_of_votes_give_the_weights_of_the_whole(kind, target, passes, tmp_path):
    margins, y, weights = kind(tmp_path, WEIGHTS)
    found = lexicographic_weights(margins, y, sample_weight=weights, margin_target=target)
    whole = lexicographic_weights(VOTES, Y, sample_weight=WEIGHTS, margin_target=target)
    assert found.passes == passes
    assert found.reduction == whole.reduction
    if target == 1.0:  # sums of votes are exact
        assert found.alpha.tolist() == whole.alpha.tolist()
    np.testing.assert_allclose(found.alpha, whole.alpha, atol=1e-9)
    options = {"theta": target, "weights": WEIGHTS}
    optima = [independent.class_optimum(VOTES, Y, j, **options) for j in range(3)]
    np.testing.assert_allclose(found.class_optima, optima, atol=1e-9)
    assert found.chi == pytest.approx(independent.balance(VOTES, Y, optima, **options), abs=1e-9)


def test_class_means_add_up_whatever_the_blocks():
    whole = class_mean_margins([(VOTES, Y)])
    parts = [class_mean_margins([(VOTES[k::7], Y[k::7])]) for k in range(7)]
    both = sum(parts[1:], parts[0])
    assert both.means.tolist() == whole.means.tolist()
    assert both.counts.tolist() == whole.counts.tolist()
    assert (both.smallest, both.largest) == (whole.smallest, whole.largest)
    one = class_mean_margins([(VOTES[Y == 0], Y[Y == 0])])
    rest = class_mean_margins([(VOTES[Y != 0], Y[Y != 0])])
    assert (rest + one).means.tolist() == whole.means.tolist()
    with pytest.raises(ValueError, match="has 2 members"):
        _ = whole + class_mean_margins([(VOTES[:, :2], Y)])
    with pytest.raises(TypeError):
        _ = whole + 1


def test_rows_are_counted_as_numpy_counts_them():
    blocks = Blocks(lambda: [(VOTES[c], Y[c], None) for c in CUTS])
    found = count_rows(blocks, np.unique(Y))
    rows, counts = np.unique(np.column_stack([Y, VOTES]), axis=0, return_counts=True)
    mine = np.column_stack([found.codes, found.margins])
    order = np.lexsort(mine.T[::-1])
    np.testing.assert_array_equal(mine[order], rows)
    np.testing.assert_array_equal(found.weights[order], counts)


def test_rows_that_hardly_repeat_are_not_counted():
    values = np.random.default_rng(0).normal(size=(70_000, 2))
    blocks = Blocks(lambda: [(values, np.zeros(70_000), None)])
    assert count_rows(blocks, np.zeros(1)) is None


def test_what_can_be_read_once_is_read_once_or_refused():
    blocks = [(VOTES, Y)]
    assert lexicographic_weights(iter(blocks)).passes == 1
    with pytest.raises(ValueError, match="can be read once only"):
        lexicographic_weights(iter(blocks), margin_target=0.5)


@pytest.mark.parametrize(
    ("margins", "y", "error", "words"),
    [
        ([], None, ValueError, "there is no block"),
        ([(VOTES, Y[:3])], None, ValueError, "labels of shape"),
        ("here.parquet", Y, TypeError, "name of the labels' column"),
    ],
)
def test_what_are_no_blocks_is_named(margins, y, error, words):
    with pytest.raises(error, match=words):
        lexicographic_weights(margins, y)


def test_a_memory_map_is_cut_into_slices(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "ROWS", 64)
    margins, y, _ = as_memory_map(tmp_path, WEIGHTS)
    assert in_blocks(margins, y).total(lambda block, _: [len(block[1])]) == [64] * 4 + [44]
    with pytest.raises(ValueError, match="but 3 labels"):
        in_blocks(margins, y[:3]).total(len)


def test_an_error_of_the_function_is_not_taken_for_a_lack_of_blocks():
    def fails(*_):
        raise TypeError("an empty word")

    with pytest.raises(TypeError, match="an empty word"):
        Blocks(lambda: iter([([[1]], ["a"], None)])).total(fails)
