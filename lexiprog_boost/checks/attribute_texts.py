"""What the attributes of fitted ensembles and learners hold, each text written once."""

ATTRIBUTES = {
    "report": """
str
    In a notebook it shows itself as tables.
""",
    "itself": """
self
""",
    "classes_": """
classes_ : ndarray of shape (n_classes,)
    Sorted labels.
""",
    "estimators_": """
estimators_ : list of fitted classifiers
    The members.
""",
    "estimators_ and offsets": """
estimators_ : list of fitted classifiers
    The members, class offsets last.
""",
    "estimator_weights_": """
estimator_weights_ : ndarray of shape (n_members,)
    Their weights, which sum to one.
""",
    "multipliers": """
estimator_weights_ : ndarray of shape (n_members,)
    The multipliers of the last program, which sum to one.
""",
    "n_members_": """
n_members_ : int
    How many members carry weight.
""",
    "stopped_": """
stopped_ : str
    A sentence that says why training ended.
""",
    "class_optima_": """
class_optima_ : ndarray of shape (n_classes,)
    L_j, the least mean loss that any weights of the members give to each class by itself.
""",
    "class_losses_": """
class_losses_ : ndarray of shape (n_classes,)
    Each class's mean loss with the weights.
""",
    "deviation_": """
deviation_, chi_ : float
    The least worst costed deviation from `class_optima_`: the paper's, which is not negative, and
    as solved for, with its sign.
""",
    "reduction_": """
reduction_ : str
    Which exact reduction was used.
""",
    "margin_ smallest": """
margin_ : float
    r, the smallest margin.
""",
    "margin_": """
margin_ : float
    r, the margin that points pay for missing.
""",
    "history_ edges": """
history_ : dict of ndarrays
    One entry a member: "edge" on the weights it was trained with, then "s" and "rho" of the
    program with it.
""",
    "convergence_": """
convergence_ : Convergence
    The edge of the best next member against s; ``reached`` says that no further member of
    this learner helps.
""",
    "point_weights_": """
point_weights_ : ndarray of shape (n,)
    The last point weights.
""",
    "program_": """
program_, result_ : lexiprog.Program, lexiprog.Result
    What was solved last, and its certified optima; a pickle leaves out the program.
""",
    "program_ merged": """
program_, result_ : lexiprog.Program, lexiprog.Result
    What was solved last, with equal rows merged and in dual form if there are many, and its
    certified optimum; a pickle leaves out the program.
""",
}
