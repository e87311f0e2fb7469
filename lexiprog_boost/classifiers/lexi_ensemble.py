"""The lexicographic ensemble: weights and class thresholds that serve the worst class best."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.blocks import is_dask
from lexiprog_boost.checks.points import check_no_text, is_frame
from lexiprog_boost.checks.values import check_confidence
from lexiprog_boost.classifiers.shared.block_fitting import check_blocks, weigh_by_blocks
from lexiprog_boost.classifiers.shared.calibration import (
    calibrate,
    logs_of,
)
from lexiprog_boost.classifiers.shared.ensemble import (
    TrainingData,
    check_points,
    check_training_data,
)
from lexiprog_boost.classifiers.shared.ensemble_margins import (
    check_known_classes,
    leaves_points_out,
    measure_ensemble,
)
from lexiprog_boost.classifiers.shared.group_cells import GroupLosses, balanced_weights, with_groups
from lexiprog_boost.classifiers.shared.lexi_vote import LexiVote
from lexiprog_boost.classifiers.shared.listed_members import (
    DEFAULT_INPUT_KINDS,
    MemberAccess,
    NamedMembers,
    default_pool,
    trained_ensemble,
)
from lexiprog_boost.classifiers.shared.weighted_vote import tied, winners
from lexiprog_boost.margins import Member, ensemble_members
from lexiprog_boost.thresholds import (
    ClassPriority,
    DecisionRule,
    Floor,
    ScoredPoints,
    fit_rule,
    read_priorities,
)

# A vote whose members may be weighed on points that come in blocks.


class BlockVote(LexiVote):
    """A vote of an ensemble's members, fitted ones of which can be weighed by blocks."""

    def _fits_blocks(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, again: bool = False
    ) -> bool:
        """Weigh fitted members on points of Dask's; say whether they are such points."""
        if not is_dask(X):
            return False
        if groups is not None:
            raise ValueError("groups are balanced in memory only; leave them out for Dask's data.")
        data = check_blocks(self, X, y, sample_weight, reset=not again)
        self._check_options(data.classes, also="auto")
        if not again:
            rng = check_random_state(self.random_state)
            self.ensemble_ = trained_ensemble(self.ensemble, None, None, prefit=True, rng=rng)
        members = ensemble_members(self.ensemble_)
        check_known_classes(members, data)
        self.margins_from_ = "new points" if again else "train"
        self.group_losses_: GroupLosses | None = None
        if getattr(self, "at_least", None):
            raise ValueError("at_least needs points in memory; leave it out for Dask's data.")
        self.rule_: DecisionRule | None = None
        self.floors_: tuple[Floor, ...] = ()
        self.class_recalls_: dict[Any, float] | None = None
        found, self.calibration_ = weigh_by_blocks(self, members, data, self._own_weights(members))
        self._remember_weights(members, found, self._stopped(), measured_on=self.margins_from_)
        return True

    def _own_weights(self, members: list[Any]) -> NDArray[np.float64]:
        """The weights that the ensemble gives its members itself, or equal ones."""
        pool_weights = getattr(self.ensemble_, "estimator_weights_", np.ones(len(members)))
        return pool_weights[: len(members)]

    def _stopped(self) -> str:
        listed = isinstance(self.ensemble_, NamedMembers)
        name = "the list" if listed else type(self.ensemble_).__name__
        return f"the members of {name} as they are."


class LexiEnsembleClassifier(MemberAccess, BlockVote):
    """The members' weights and the classes' thresholds with the least loss of the worst class.

    Without arguments: four learners that err differently (`default_pool`), measured on points
    they did not see, and one constant voter a class whose weight is the class's threshold.
    `lexiboost_program` then minimises the largest mean hinge loss of a class. The same can be
    done for the members of any ensemble: bagging, forests, AdaBoost, voting, or a list. Use it to
    predict where every class matters and no costs are known. Sample weights are those of an
    ensemble that takes them, and of the points inside their classes.

    Parameters
    ----------
    ensemble : ensemble or list of classifiers or (name, classifier), optional
        By default `default_pool()`. It is cloned and fitted, never changed. Parameters of listed
        members are reached by their names: ``set_params(rf__max_depth=3)``, ``set_params(rf=...)``.
    prefit : bool
        Take the ensemble (or the classifiers of the list) as fitted already: `fit` only weighs.
        The points given to it should then be new to the members, and may be a Dask array or data
        frame, of which nothing of their size is brought together.
    margin : {"pairs", "proba", "vote", "signed"}
        What is measured. "pairs": by how much a member's probability of the true class exceeds
        that of every other class, a row each (`pair_margins`); the others as for `margin_matrix`.
    margins_from : {"auto", "train", "oob", "cross"}
        Which points members are judged on. "auto": points that they did not see; out of bag for an
        ensemble that left points out of its members' samples, by 5-fold cross-fitting for a list (a
        forest with ``oob_score=True`` in it is asked out of bag). Any other ensemble (voting,
        ExtraTrees, AdaBoost) is then taken as a whole, as the one member of a list; "cross" trains
        it again in every fold to weigh its members. If prefit, the points given to `fit`, which
        should be new.
    class_offsets : bool
        Whether the program sets the classes' thresholds too, by one constant member a class whose
        weight is the threshold (fact F13, docs/facts.md). Each class could then be had
        whole, so that its least loss is zero and its deviation is its loss. What the offsets have
        in common decides nothing between the classes: it only makes the members' margins smaller.
    class_costs : mapping, sequence or "balanced", optional
        What a unit of each class's deviation costs, by label or in the order of the sorted labels;
        1 by default, and for classes that are not named. "balanced": the largest class's weight
        over the class's own, which puts rare classes before the others, beyond the balance that
        class means give them anyway.
    at_least : mapping, optional
        Floors of recall in the order of their importance, such as ``{"A": 0.9}``: these classes
        claim points before the others are asked, by thresholds on scores of points that the members
        did not see, with room for chance. They are estimated, since the members' weights come from
        the same points; ``LexiThresholdClassifier(LexiEnsembleClassifier(), ...)`` promises them.
    confidence : float
        With which each of these floors is to hold on new data.
    margin_target : float
        theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
        easy points stop pulling (fact F5, docs/facts.md).
    weight_cap : float, optional
        Largest weight of a member, at least 1/T.
    tie_break : {"smallest", "leximax", "closest"} or ("closest", tolerance)
        Which of the optimal weights: those of smallest norm; those whose second largest deviation
        is least, and so on; or those nearest to the pool's own that give up 0.01 (or `tolerance`)
        of the deviation.
    calibrate : bool
        Fit `predict_proba` to the scores of unseen points. Otherwise it returns the scores, whose
        largest is always the predicted class.
    reduce : {"auto", False}
        "auto": solve a smaller program with the same optimum and weights where there is one (equal
        rows merged, class means); False: the program as it is written, to compare.
    solver : optional
        As for ``lexiprog.Program.solve``; a mapping may name "classes", "balance", "weights" or a
        subproblem, whether or not a reduction makes it unnecessary.
    n_jobs : int, optional
        Workers of the cross-fitting, and of the training of a list.
    verbose : int
        Above zero, bars of the members trained and cross-fitted (needs tqdm).
    random_state : int, RandomState or None
        Given to the ensemble if it has such a parameter that is None; deals the folds.

    Attributes
    ----------
    ensemble_ : fitted ensemble
        The clone that was fitted, or `ensemble` itself if prefit.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimators_ : list of fitted classifiers
        The members, class offsets last.
    estimator_weights_ : ndarray of shape (n_members,)
        Their weights, which sum to one.
    n_members_ : int
        How many members carry weight.
    class_optima_ : ndarray of shape (n_classes,)
        L_j, the least mean loss that any weights of the members give to each class by itself.
    class_losses_ : ndarray of shape (n_classes,)
        Each class's mean loss with the weights.
    deviation_, chi_ : float
        The least worst costed deviation from `class_optima_`: the paper's, which is not negative,
        and as solved for, with its sign.
    program_, result_ : lexiprog.Program, lexiprog.Result
        What was solved last, and its certified optima; a pickle leaves out the program.
    reduction_ : str
        Which exact reduction was used.
    stopped_ : str
        A sentence that says why training ended.
    group_losses_ : GroupLosses or None
        What every class loses in every group, if `fit` was given groups.
    margins_from_ : str
        Where margins were measured; "new points" after `reweigh`.
    class_recalls_ : dict or None
        The recall of each class on points that the members did not see, as `predict` decides;
        None where there are none.
    floors_ : tuple of Floor
        What became of each floor in `at_least`, as for `LexiThresholdClassifier`.
    rule_ : DecisionRule or None
        From scores to classes, where there are floors.
    named_estimators_ : Bunch
        The fitted members of a list by their names.
    feature_importances_ : ndarray of shape (n_features,)
        The mean of those members' that have any, by their weights; see Notes.
    calibration_ : Calibration or None
        From scores to probabilities; None if there are no scores of unseen points to fit it to.

    Notes
    -----
    ``margin="vote", class_offsets=False, margin_target=1`` is the paper's program. The own weights
    of an ensemble, which ``tie_break="closest"`` is close to, are its ``estimator_weights_``, or
    equal ones.

    Of the default members only the forest has importances; what a column is worth to all of them
    is found by scikit-learn's ``permutation_importance(model, X, y, scoring="balanced_accuracy")``.
    For another threshold than the balanced one, wrap the model in ``TunedThresholdClassifierCV`` or
    compare ``predict_proba`` with it.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from lexiprog_boost import LexiEnsembleClassifier
    >>> X, y = make_classification(400, weights=[0.9], flip_y=0.05, random_state=0)
    >>> model = LexiEnsembleClassifier(random_state=0).fit(X, y)
    >>> model.margins_from_, [name for name, _ in model.ensemble_.members]
    ('cross', ['linear', 'kernel', 'forest', 'boosting'])
    >>> bagging = BaggingClassifier(n_estimators=20)
    >>> LexiEnsembleClassifier(bagging, random_state=0).fit(X, y).margins_from_
    'oob'
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        prefit: bool = False,
        margin: Any = "pairs",
        margins_from: str = "auto",
        class_offsets: bool = True,
        class_costs: Any = None,
        at_least: Any = None,
        confidence: float = 0.95,
        margin_target: float = 0.3,
        weight_cap: float | None = None,
        tie_break: Any = "smallest",
        calibrate: bool = True,
        reduce: Any = "auto",
        solver: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.prefit = prefit
        self.margin = margin
        self.margins_from = margins_from
        self.class_offsets = class_offsets
        self.class_costs = class_costs
        self.at_least = at_least
        self.confidence = confidence
        self.margin_target = margin_target
        self.weight_cap = weight_cap
        self.tie_break = tie_break
        self.calibrate = calibrate
        self.reduce = reduce
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Train the members and find their weights, as the class describes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points; sparse if the learner takes it.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the points, not negative; every class needs a point of weight > 0. The class
            says what they do; points of weight zero play no part.
        groups : array-like of shape (n,), optional
            Hospitals, years, demographic groups: the deviations of every class in every group are
            balanced, each with its own least loss, so that no group pays for the others
            (`group_losses_`). Groups are not needed to predict.

        Returns
        -------
        self
        """
        if not self._fits_blocks(X, y, sample_weight, groups):
            data = self._checked_training(X, y, sample_weight)
            self._train(with_groups(data, groups).counted())
        return self

    def _train(self, data: TrainingData) -> None:
        self._check_options(data.classes, also="auto")
        rng = check_random_state(self.random_state)
        given = default_pool(len(data.y)) if self.ensemble is None else self.ensemble
        if self.margins_from == "auto" and not self.prefit and self._goes_as_a_whole(given):
            # Its own vote, on points it did not see, is worth more than new weights of members
            # that depend on each other or know their points by heart.
            given = [given]
        self.ensemble_ = trained_ensemble(
            given, data.X, data.y, data.given_weights, prefit=self.prefit, n_jobs=self.n_jobs,
            verbose=self.verbose, rng=rng,
        )  # fmt: skip
        self._weigh(
            ensemble_members(self.ensemble_), data, self._where(),
            seed=int(rng.randint(np.iinfo(np.int32).max)),
        )  # fmt: skip

    def _weigh(self, members: list[Member], data: TrainingData, where: str, *, seed: int) -> None:
        """Measure the members there, and find their weights and the classes' thresholds."""
        check_known_classes(members, data)
        self.margins_from_ = where
        measured = measure_ensemble(self, members, data, seed=seed)
        found, self.group_losses_ = balanced_weights(
            self._find_weights, self._costs, measured.margins, data, measured.points,
            self._own_weights(members),
        )  # fmt: skip
        self._remember_weights(members, found, self._stopped(), measured_on=self.margins_from_)
        honest = self.prefit or self.margins_from_ != "train"
        self.calibration_, self.rule_, self.floors_, self.class_recalls_ = None, None, (), None
        if honest and measured.outputs is not None:
            scores = measured.scores(found.alpha)
            if self.calibrate:
                self.calibration_ = calibrate(scores, data.codes, data.weights)
            self._decide(scores, data)
        elif self.at_least:
            raise ValueError(
                "at_least needs probabilities of points that the members did not see: "
                "margin='pairs', and margins_from other than 'train'."
            )

    def _decide(self, scores: Floats, data: TrainingData) -> None:
        """Set the classes' floors on scores of unseen points, and measure the recalls there."""
        codes, scores = data.codes, tied(scores)
        counts = np.bincount(codes)
        if self.at_least:
            nothing = np.zeros(len(counts))
            points = ScoredPoints(
                logs_of(scores), codes, data.classes, counts / counts.sum(), nothing
            )
            floors = self._floors_wanted(data.classes)
            found = fit_rule(points, floors, alpha=1 - self.confidence, status="estimated")
            self.rule_, self.floors_ = found.rule, found.floors
            for floor in found.floors:
                if not floor.is_kept:
                    said = f"{floor.wanted} cannot be relied on: {floor.why}"
                    warnings.warn(said, lx.LexiprogWarning, stacklevel=5)
        right = np.bincount(codes, winners(self._decided(scores)) == codes, len(counts))
        self.class_recalls_ = dict(
            zip(data.classes.tolist(), (right / counts).tolist(), strict=True)
        )

    def _check_options(self, classes: NDArray, *, also: str | None = None) -> None:
        super()._check_options(classes, also=also)
        self._floors_wanted(classes)

    def _floors_wanted(self, classes: NDArray) -> list[ClassPriority]:
        """The floors in `at_least`, checked."""
        check_confidence(self.confidence)
        if not self.at_least:
            return []
        if not isinstance(self.at_least, Mapping):
            raise TypeError(
                f"at_least is {self.at_least!r}; it is a mapping from labels to floors of their "
                'recall, such as {"A": 0.9}.'
            )
        wanted = [("recall", label, floor) for label, floor in self.at_least.items()]
        return [one for one in read_priorities(wanted, classes) if one.is_floor]

    def _decided(self, scores: Floats) -> Floats:
        return scores if self.rule_ is None else self.rule_.scores(logs_of(scores))

    def predict_proba(self, X: Any) -> Floats:
        """Return estimates of the classes' probabilities at their frequencies in training.

        `predict` and `decision_function` compare the weighted scores, whose thresholds balance the
        classes: a rare class may be predicted at a probability below 1/2, and the most probable
        class is then not the predicted one. The calibration, ``softmax(slope log(score) +
        offsets)``, is fitted to the scores of points that the members did not see. Without such
        points, with other margins than pairs and with ``calibrate=False``, the scores are returned.
        `staged_predict_proba` uses the calibration of the whole ensemble for every stage.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Points.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        return super().predict_proba(X)

    def _probabilities(self, scores: Floats) -> Floats:
        return scores if self.calibration_ is None else self.calibration_(scores)

    def reweigh(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Find new weights and thresholds for the fitted members; nothing is trained again.

        Use it when the classes have moved and the members need not: new data of another hospital,
        another year. The points should be new to the members, on which they are measured as they
        are; the calibration follows them too. Every class that the members know has to be there.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Training points; sparse if the learner takes it.
        y : array-like of shape (n,)
            Labels of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the points, not negative; every class needs a point of weight > 0. The class
            says what they do; points of weight zero play no part.
        groups : array-like of shape (n,), optional
            Hospitals, years, demographic groups: the deviations of every class in every group are
            balanced, each with its own least loss, so that no group pays for the others
            (`group_losses_`). Groups are not needed to predict.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.linear_model import LogisticRegression
        >>> from lexiprog_boost import LexiEnsembleClassifier
        >>> X, y = make_classification(400, weights=[0.9], random_state=0)
        >>> model = LexiEnsembleClassifier([GaussianNB(), LogisticRegression()], random_state=0)
        >>> model.fit(X[:200], y[:200]).reweigh(X[200:], y[200:]).margins_from_
        'new points'
        """
        check_is_fitted(self)
        if self._fits_blocks(X, y, sample_weight, groups, again=True):
            return self
        data = check_training_data(self, X, y, sample_weight, keep_frames=True, reset=False)
        data = with_groups(data, groups).counted()
        self._check_options(data.classes, also="auto")
        self._weigh(ensemble_members(self.ensemble_), data, "new points", seed=0)
        return self

    def _goes_as_a_whole(self, given: Any) -> bool:
        """Whether it is no list, leaves no points out, and has what margins are made of."""
        if isinstance(given, list | tuple) or leaves_points_out(given):
            return False
        return self._speaks == "vote" or hasattr(given, "predict_proba")

    def _where(self) -> str:
        """Where margins are asked for, or where they are honest at the least expense."""
        if self.margins_from != "auto":
            return self.margins_from
        if self.prefit:
            return "train"
        listed = isinstance(self.ensemble_, NamedMembers)
        return "oob" if not listed and leaves_points_out(self.ensemble_) else "cross"

    def _input_kinds(self) -> tuple[bool, bool]:
        if self.ensemble is None:
            return DEFAULT_INPUT_KINDS
        listed = isinstance(self.ensemble, list | tuple)
        inner = get_tags(NamedMembers(self.ensemble) if listed else self.ensemble).input_tags
        return inner.sparse, inner.allow_nan

    # A data frame stays one: its columns may be of any kind, and members know what to do with it.

    def _checked_training(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        if self.ensemble is None and not is_frame(X):
            check_no_text(X)
        return check_training_data(self, X, y, sample_weight, keep_frames=True)

    def _checked_points(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_points(self, X, keep_frames=True)
