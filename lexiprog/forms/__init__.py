"""Problems as bare numbers: the standard form, its cones, the optimal face. No CVXPY here."""
