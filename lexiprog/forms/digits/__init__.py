"""How many digits of the numbers count."""
