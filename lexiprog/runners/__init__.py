"""The ways to run a task: one protocol, a task in, an answer out."""
