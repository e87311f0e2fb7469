"""Cells: one contender on one fold of one data set, measured by workers, kept in a store."""
