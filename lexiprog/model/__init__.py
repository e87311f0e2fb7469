"""What the user declares: subproblems, stages, references, locks. Nothing is computed."""
