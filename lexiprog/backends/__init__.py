"""Solvers: their names and options, HiGHS and CLARABEL directly, remote execution."""
