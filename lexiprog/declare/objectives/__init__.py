"""What a subproblem may optimise beside one expression."""
