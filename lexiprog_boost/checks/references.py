"""The literature that docstrings cite, each entry written once."""

REFERENCES = {
    "Datta": """
S. Datta, S. Nag and S. Das, Boosting with Lexicographic Programming: Addressing Class
Imbalance without Cost Tuning, IEEE Transactions on Knowledge and Data Engineering.
""",
    "Demiriz": """
A. Demiriz, K. P. Bennett and J. Shawe-Taylor, Linear programming boosting via column
generation, Machine Learning 46, 2002.
""",
    "Freund": """
Y. Freund and R. E. Schapire, A decision-theoretic generalization of on-line learning and an
application to boosting, Journal of Computer and System Sciences 55, 1997.
""",
    "Grove": """
A. J. Grove and D. Schuurmans, Boosting in the limit: maximizing the margin of learned
ensembles, AAAI 1998.
""",
    "Leskovec": """
J. Leskovec and J. Shawe-Taylor, Linear programming boosting for uneven datasets, ICML 2003.
""",
    "Ratsch": """
G. Rätsch, T. Onoda and K.-R. Müller, Soft margins for AdaBoost, Machine Learning 42, 2001.
""",
    "Ratsch one class": """
G. Rätsch, B. Schölkopf, S. Mika and K.-R. Müller, SVM and boosting: one class, GMD technical
report 119, 2000.
""",
    "Wang": """
S. Wang and X. Yao, Multiclass imbalance problems: analysis and potential solutions, IEEE
Transactions on Systems, Man, and Cybernetics B 42, 2012.
""",
}
