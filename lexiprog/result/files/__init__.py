"""Results on disk: written as a whole, read with the place of whatever does not fit."""
