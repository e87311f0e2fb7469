"""What the parameters that functions and estimators share mean, each text written once."""

POINTS = {
    "training points": """
X : array-like or sparse matrix of shape (n, n_features)
    Training points; sparse if the learner takes it.
""",
    "labels": """
y : array-like of shape (n,)
    Labels of two classes or more.
""",
    "learner points": """
X : array-like or sparse matrix of shape (n, n_features)
    Training points.
y : array-like of shape (n,)
    Labels.
""",
    "fitted sample_weight": """
sample_weight : array-like of shape (n,), optional
    Weights of the points, not negative; every class needs a point of weight > 0. The class says
    what they do; points of weight zero play no part.
""",
    "groups": """
groups : array-like of shape (n,), optional
    Hospitals, years, demographic groups: the deviations of every class in every group are balanced,
    each with its own least loss, so that no group pays for the others (`group_losses_`). Groups
    are not needed to predict.
""",
    "points": """
X : array-like or sparse matrix of shape (m, n_features)
    Points.
""",
    "ensemble classes": """
classes : ndarray of shape (n_classes,)
    Sorted labels of the ensemble.
""",
    "shares": """
ndarray of shape (m, n_classes)
    Columns in the order of `classes_`; rows sum to one.
""",
    "initial weights": """
sample_weight : array-like of shape (n,), optional
    Initial weights of the points.
""",
}

TRAINING = {
    "estimator": """
estimator : classifier, optional
    The learner; by default a tree of depth three. Without sample_weight it is trained on points
    drawn by weight.
""",
    "learner": """
estimator : classifier
    The learner; without sample_weight it is trained on points drawn by weight.
""",
    "n_estimators": """
n_estimators : int
    Rounds at most.
""",
    "penalty": """
penalty : float
    Strength of the penalty (lambda), at least 0; its authors use 2 and 9. 0 ignores the
    ambiguity.
""",
    "oversample": """
oversample : bool
    Draw copies of the points of smaller classes until all classes have the same size.
""",
    "output": """
output : {"hard", "confidence"}
    Whether h(x, y) is the vote of ``predict`` or the probability of ``predict_proba``.
""",
    "on_round": """
on_round : callable (round, error), optional
    Called after every round, the first one being 1.
""",
    "n_jobs": """
n_jobs : int, optional
    Workers of the cross-fitting.
""",
    "verbose": """
verbose : int
    Show a bar of the rounds if not 0 (needs tqdm).
""",
    "random_state": """
random_state : int, RandomState or None
    Draws one seed a member; an integer makes `fit` repeatable.
""",
    "member seeds": """
random_state : int, RandomState or None
    Draws one seed a member.
""",
}

SOFT_MARGIN = {
    "pool": """
pool : {"m2", "adaboost"}
    AdaBoost.M2, or scikit-learn's AdaBoost (SAMME).
""",
    "margin": """
margin : {"vote", "proba"}
    Whether members vote or give probabilities.
""",
    "nu": """
nu : float
    In (0, 1]; sets D = 1/(nu n), so that about a share nu of the points may miss the margin.
""",
    "cap": """
cap : float, optional
    D itself, in place of nu, at least 1/n. Where the literature writes D = 1/nu, as the
    LexiBoost paper does, give ``cap=1/nu``: it is at least one, where a cap never acts.
""",
    "price cap": """
cap : float
    D, the price of a point of weight and cost one, at least 1/n. The literature has two
    conventions: D = 1/(nu n), with nu in (0, 1], and D = 1/nu, which is never below one and so
    never acts.
""",
    "lower_bound": """
lower_bound : float
    b, the smallest weight of a point as a share of its largest. The LexiBoost paper's D_LB of
    25, 50 and 100 is read as 1/25, 1/50 and 1/100: as a percentage it would never be feasible.
""",
    "edge program": """
lexiprog.Program
    Stage and subproblem "edge", variables "D" and "s".
""",
    "beta": """
beta : float
    Cost of the target class, the others having 1; the LexiBoost paper tries 2, 4 and 8.
""",
    "target": """
target : object, optional
    The target class; by default the rarest one, by weight.
""",
    "uneven class_costs": """
class_costs : mapping or sequence, optional
    A cost for every class, by label or in the order of the sorted labels, in place of `beta`
    and `target`.
""",
    "tolerance": """
tolerance : float
    By how much the edge of a new member must exceed s.
""",
    "tie_break": """
tie_break : {"smallest", None}
    Of all optimal weights those of smallest norm, which no solver changes, or the solver's own.
""",
    "point tie_break": """
tie_break : {"smallest", None}
    Of all optimal point weights those with the smallest sum of D_i^2 / w_i, and of all
    multipliers the smallest, which no solver changes; or the solver's own.
""",
    "solver": """
solver : optional
    As for ``lexiprog.Program.solve``; a mapping may name "margin" (A1 to A3), "edge" (their
    duals) and "weights" (the smallest norm), needed or not.
""",
    "copies": """
sample_weight : array-like of shape (n,), optional
    A point of weight two counts as two points; n is then the sum of the weights.
""",
    "seen points": """
sample_weight : array-like of shape (n,), optional
    Points of weight zero are left out; otherwise weights play no part in a minimum.
""",
}

LEXIBOOST = {
    "margins": """
margins : array-like of shape (n, T)
    Margin of every member on every point.
""",
    "rule": """
rule : {"vote", "proba", "signed"}
    What a margin is made of; see `margin_matrix`.
""",
    "margin rule": """
margin : {"vote", "proba", "signed"}
    What a margin is made of; see `margin_matrix`.
""",
    "margins_from": """
margins_from : {"train", "oob", "cross"}
    Where margins are measured: on the training data; on the points that a member trained by
    resampling did not draw; or by cross-fitting, five fits a member. Learners that are right on
    all their training points need one of the last two (fact F9, docs/facts.md).
""",
    "class_offsets": """
class_offsets : bool
    Add a member a class that always votes for it: the program then sets thresholds too. Of
    use with a margin target below 1 and honest margins (fact F13, docs/facts.md).
""",
    "class_costs": """
class_costs : mapping or sequence, optional
    What a unit of each class's deviation costs, by label or in the order of the sorted labels;
    1 each by default.
""",
    "estimator class_costs": """
class_costs : mapping, sequence or "balanced", optional
    What a unit of each class's deviation costs, by label or in the order of the sorted labels;
    1 each by default. "balanced": the largest class's weight over the class's own, which puts
    rare classes before the others, beyond the balance that class means give them anyway.
""",
    "inside weights": """
sample_weight : array-like of shape (n,), optional
    Weights of the points inside their classes; w_i is their share of the class.
""",
    "margin_target": """
margin_target : float
    theta in (0, 1]: a margin beyond it has no loss. 1 is the paper's. Below 1, outliers and
    easy points stop pulling (fact F5, docs/facts.md).
""",
    "weight_cap": """
weight_cap : float, optional
    Largest weight of a member, at least 1/T.
""",
    "lexicographic tie_break": """
tie_break : {"smallest", "leximax", "closest"} or ("closest", tolerance)
    Which of the optimal weights: those of smallest norm; those whose second largest deviation
    is least, and so on; or those nearest to the pool's own that give up 0.01 (or `tolerance`)
    of the deviation.
""",
    "reduce": """
reduce : {"auto", False}
    Use exact reductions, or solve the full programs; the optimum and the weights are the same.
""",
    "stage solver": """
solver : optional
    As for ``lexiprog.Program.solve``; a mapping may name "classes", "balance", "weights" or a
    subproblem, whether or not a reduction makes it unnecessary.
""",
    "form": """
form : {"paper", "exact"}
    The printed dual, or the exact one.
""",
    "optima": """
optima : mapping or sequence
    L_j of every class, by label or in order.
""",
    "class means": """
inputs : Inputs
    With one row a class, its mean margins m_j.
""",
}

PARAMETERS = POINTS | TRAINING | SOFT_MARGIN | LEXIBOOST
