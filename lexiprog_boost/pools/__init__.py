"""Pools: ways to train the members whose weights the linear programs choose."""

from lexiprog_boost.members.training import fit_member, prepare_learner, refit_member
from lexiprog_boost.pools.adaboost import adaboost_pool
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.adaboost_nc import adaboost_nc_pool
from lexiprog_boost.pools.column_generation import Convergence, column_generation_pool
from lexiprog_boost.pools.pool import Pool

__all__ = [
    "Convergence",
    "Pool",
    "adaboost_m2_pool",
    "adaboost_nc_pool",
    "adaboost_pool",
    "column_generation_pool",
    "fit_member",
    "prepare_learner",
    "refit_member",
]
