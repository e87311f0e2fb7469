"""Linear levels in a row, without the ceremony between two stages."""
