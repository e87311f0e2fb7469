"""Pools: ways to train the members whose weights the linear programs choose."""

from lexiprog_boost.pools.adaboost import adaboost_pool
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.pool import Pool
from lexiprog_boost.pools.training import fit_member, prepare_learner, refit_member

__all__ = [
    "Pool",
    "adaboost_m2_pool",
    "adaboost_pool",
    "fit_member",
    "prepare_learner",
    "refit_member",
]
