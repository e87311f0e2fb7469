"""The margin matrix, worked by hand and by its definition."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.learners import constant_members
from lexiprog_boost.margins import class_mean_margins, margin_blocks, margin_matrix, offset_margins

X, CODES = load_iris(return_X_y=True)
Y = np.array(["se", "ve", "vi"])[CODES]
POOL = [DecisionTreeClassifier(max_depth=d, random_state=0).fit(X, Y) for d in (1, 2)]
POOL.append(GaussianNB().fit(X, Y))


class Fixed:
    """A member that always says the same."""

    def __init__(self, classes, shares):
        self.classes_, self.shares = np.array(classes), np.array(shares)

    def predict(self, X):
        return np.repeat(self.classes_[self.shares.argmax()], len(X))

    def predict_proba(self, X):
        return np.tile(self.shares, (len(X), 1))


def test_three_rules_by_hand():
    member, points, y = Fixed(["a", "b", "c"], [0.5, 0.3, 0.2]), np.zeros((3, 1)), ["a", "b", "c"]
    by_rule = {r: margin_matrix([member], points, y, rule=r) for r in ("vote", "proba", "signed")}
    np.testing.assert_allclose(by_rule["vote"], [[1], [-1], [-1]])
    np.testing.assert_allclose(by_rule["proba"], [[0], [-0.4], [-0.6]])
    np.testing.assert_allclose(by_rule["signed"], [[3], [-1], [-1]])  # C and C - 4


@pytest.mark.parametrize("rule", ["vote", "proba", "signed"])
def test_margin_is_the_products_of_the_label_vectors(rule):
    classes = np.unique(Y)
    label_vectors = np.where(Y[:, None] == classes, 1.0, -1.0)
    columns = []
    for member in POOL:
        hard = member.predict(X)[:, None] == classes
        outputs = {
            "vote": hard.astype(float),
            "proba": member.predict_proba(X),
            "signed": np.where(hard, 1.0, -1.0),
        }[rule]
        columns.append((label_vectors * outputs).sum(axis=1))
    np.testing.assert_allclose(
        margin_matrix(POOL, X, Y, rule=rule), np.array(columns).T, atol=1e-12
    )


def test_two_classes_give_the_product_of_signs():
    signs = np.where(CODES == 0, -1, 1)
    pool = [DecisionTreeClassifier(max_depth=1).fit(X[:, [k]], signs) for k in (0, 1)]
    for k, member in enumerate(pool):
        found = margin_matrix([member], X[:, [k]], signs)
        np.testing.assert_array_equal(found[:, 0], signs * member.predict(X[:, [k]]))
        signed = margin_matrix([member], X[:, [k]], signs, rule="signed")
        np.testing.assert_array_equal(signed, 2 * found)


def test_a_member_that_saw_fewer_classes_is_wrong_on_the_others():
    blind = GaussianNB().fit(X[Y != "ve"], Y[Y != "ve"])
    for rule in ("vote", "proba"):
        margins = margin_matrix([blind], X, Y, rule=rule)
        assert (margins[Y == "ve"] == -1).all()
        assert margins[Y == "se"].min() > 0.9


def test_string_labels_of_any_length_are_aligned():
    member = DecisionTreeClassifier().fit(X, np.where(CODES == 0, "a", "a much longer name"))
    longer = np.where(CODES == 0, "a", "a much longer name").astype(object)
    np.testing.assert_array_equal(margin_matrix([member], X, longer), np.ones((150, 1)))


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.csr_matrix, np.ndarray.tolist])
def test_points_may_come_in_any_form(kind):
    expected = margin_matrix(POOL[:2], X, Y)
    np.testing.assert_array_equal(margin_matrix(POOL[:2], kind(X.astype(np.float32)), Y), expected)


def test_signed_is_refused_from_five_classes_on_with_the_reason():
    points, y = np.zeros((5, 1)), np.arange(5)
    with pytest.raises(ValueError, match="no point ever has a loss"):
        margin_matrix([Fixed(y, np.eye(5)[0])], points, y, rule="signed")
    four = margin_matrix([Fixed(y[:4], np.eye(4)[0])], points[:4], y[:4], rule="signed")
    np.testing.assert_array_equal(four[:, 0], [4, 0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], X, Y), ValueError, "no member"),
        ((POOL, X, Y[:-1]), ValueError, "inconsistent numbers of samples"),
        ((POOL, X, Y, "loud"), ValueError, "unknown margin rule 'loud'; the rules are vote"),
        ((POOL, X, Y, "vote", ["se", "ve"]), ValueError, "'vi'.* not among the classes"),
        (([RidgeClassifier().fit(X, Y)], X, Y, "proba"), TypeError, "RidgeClassifier has no pred"),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    members, points, y, *rest = arguments
    keywords = dict(zip(["rule", "classes"], rest, strict=False))
    with pytest.raises(error, match=message):
        margin_matrix(members, points, y, **keywords)


def test_offsets_are_the_margins_of_constant_members():
    for rule in ("vote", "proba", "signed"):
        expected = margin_matrix(constant_members(Y), X, Y, rule=rule)
        np.testing.assert_array_equal(offset_margins(Y, np.unique(Y), rule=rule), expected)


def test_blocks_put_together_are_the_matrix():
    weights = np.random.default_rng(0).uniform(size=len(Y))
    for size in (1, 7, 150, 1000):
        blocks = list(margin_blocks(POOL, X, Y, sample_weight=weights, chunk_size=size))
        margins, labels, parts = (np.concatenate(part) for part in zip(*blocks, strict=True))
        np.testing.assert_array_equal(margins, margin_matrix(POOL, X, Y))
        np.testing.assert_array_equal(labels, Y)
        np.testing.assert_array_equal(parts, weights)


def test_a_block_without_some_class_still_knows_all_classes():
    # Blocks of 50 hold one class each; 'signed' depends on the number of classes.
    means = class_mean_margins(margin_blocks(POOL, X, Y, rule="signed", chunk_size=50))
    assert means.largest == 3


def test_an_empty_block_size_is_refused():
    with pytest.raises(ValueError, match="chunk_size is 0"):
        next(margin_blocks(POOL, X, Y, chunk_size=0))
