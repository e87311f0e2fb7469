"""Ensembles on points that come in blocks: weighed, calibrated and asked block by block."""
