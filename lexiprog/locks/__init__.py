"""Ways to hold an earlier optimum while a later problem is solved."""
