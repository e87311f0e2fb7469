"""Follow the basis of a linear program while its limits move."""
