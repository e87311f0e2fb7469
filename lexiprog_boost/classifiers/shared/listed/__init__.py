"""Members that come as a list: their names, parameters and training, and the default ones."""
