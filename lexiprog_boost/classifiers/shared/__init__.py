"""What the classifiers have in common: the vote, the steps of fit, calibration, the report."""
