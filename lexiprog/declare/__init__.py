"""What the user says: subproblems, stages, references, locks. Nothing is computed."""
