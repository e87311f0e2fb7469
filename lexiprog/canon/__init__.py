"""Problems as bare numbers: standard form, cones, scaling, faces. No CVXPY here."""
