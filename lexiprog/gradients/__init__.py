"""How optima follow the parameters of a program."""
