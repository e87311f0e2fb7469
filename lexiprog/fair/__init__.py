"""Fair shares: utilities raised level by level, the least first. No CVXPY here."""
