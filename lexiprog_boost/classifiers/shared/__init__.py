"""What the classifiers have in common: the base of all, the vote, steps of fit, the report."""
