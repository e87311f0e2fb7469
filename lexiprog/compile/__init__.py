"""From a declared problem and its numbers to a task that a solver can take."""
