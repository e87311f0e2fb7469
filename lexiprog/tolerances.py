"""Every numeric threshold of the engine, each once, with the reason for its size.

A tolerance is relative unless its comment says otherwise: the comment names what it is multiplied
by. "Equilibrated" means after `lexiprog.canon.equilibration`, where costs and right-hand sides are
of order one, so that an absolute number has a meaning.
"""

import math

import numpy as np

# Rounding: what floating-point arithmetic itself does.

# The distance from 1 to the next float.
EPS = 2.0**-52
# The relative error of one rounding.
UNIT_ROUNDOFF = EPS / 2.0
# A decimal such as 0.1 is mostly changed by this share when it is read as a float.
DECIMAL_ROUNDING = EPS / 4.0
# A handful of operations in a row: limits of intervals, ratios of costs, residuals of Newton's
# method, each as a share of the result.
FEW_ROUNDINGS = 4.0 * EPS
# Numbers with more than 15 digits were computed, not written: those that differ by less than 16
# roundings may be meant to be equal.
COMPUTED_ROUNDING = 8.0 * EPS
# Limits that follow from cones take a square root and a product of sums: some thousand roundings.
CONE_LIMIT_ROUNDING = 2.0**12 * EPS
# A sum of a row's or a column's terms, over the sum of their sizes: some hundred terms.
SUM_ROUNDING = 1e-13
# The last bit of an unevaluated sum of two floats.
DOUBLE_DOUBLE_EPS = EPS**2
# The same as UNIT_ROUNDOFF in the longest floats; where these are pairs of others, it is unknown.
_LONG = np.finfo(np.longdouble)
LONG_ROUNDOFF = float(_LONG.eps) / 2.0 if _LONG.nmant in (52, 63, 112) else math.inf
# A bound on rounding errors is itself computed with rounding, of fewer than 2**32 operations.
ROUND_UP = 1.0 + 2.0**-20
# The smallest normal float: an exponential that underflows is not zero.
SMALLEST_NORMAL = 2.0**-1022
# Below the first the rounding error of a product may be too small for a float; then it is wrong by
# the second at most. The third bounds a sum of such losses.
UNDERFLOW, UNDERFLOW_ERROR = 2.0**-960, 2.0**-1070
UNDERFLOW_ERRORS = 2.0**-1000
# Numbers between this and its inverse are multiplied without overflow or underflow.
SAFE_RANGE = 2.0**200
# Iterative refinement, in equilibrated units: residuals below the first gain nothing more in pairs
# of floats; those that end above the second were not refined at all.
REFINED_FULLY, REFINED_AT_ALL = 2.0**14 * DOUBLE_DOUBLE_EPS, 2.0**-14 * EPS

# Reduced costs in twice the digits of floats that are nothing, as a share of their terms.
REDUCED_TO_ZERO = 2.0**-80

# What stands for nothing in equations whose numbers are at most about one: where they depend on
# each other the first is too little.
REGULAR = (1e-24, 1e-11)
# Rows of numbers of at most about one are independent if no combination of them of length one is
# shorter: it is a thousand times what rounding the numbers and their factors could make of nothing.
INDEPENDENT = 1e-8

# Certificates: measured violation, gap and complementarity, as shares of the terms they are summed
# from.

# What an optimum is certified to unless the user says otherwise: what interior-point solvers reach.
CERTIFIED = 1e-6
# By how much of itself each number of the data may have to be changed for the point to be optimal,
# as a share of the tolerance that its value is certified to.
NEARNESS = 0.1
# The same of the rows of a linear problem, whose vertices can be had to the last digit: rounding of
# a few terms. What differs by more is told apart.
ROW_ROUNDING = 4.0 * EPS
# The same of rows whose numbers were computed: the rounding of long sums,
ROW_COMPUTED = 1e-12
# and of rows that hold an earlier optimum: what solvers are asked for.
ROW_HELD = 1e-9
# Rows with less slack than this share of their terms may contradict each other where all of them
# are met up to rounding: weights of some hundreds, and many rows.
TOUCHED = 1e-12
# Rows that a solver's vertex touches have less slack than this share of their terms.
NEARLY_TOUCHED = 1e-9
# A value, and its bound, are not known better than so many roundings of the terms they are summed
# from.
VALUE_ROUNDING = 16.0 * EPS
# A value below this share of its terms, and of its dual's, may be zero: it has no size of its own.
NO_SIZE = 1e-9
# A value of zero is as near as its point is to the rows, but counts no more than this of them.
LEAST_NEAR = 1e-12
# Every measure of a linear optimum that was refined.
CERTIFIED_REFINED = 1e-12
# Curves over a parameter, and steps of leximin: linear programs, so vertices up to rounding.
CERTIFIED_CURVE = 1e-8
CERTIFIED_LEXIMIN = 1e-9
# Levels of least squares on one active set: orthogonal factors leave 1e-12 or so.
CERTIFIED_LEAST_SQUARES = 1e-8
# What their bounds leave open, over the terms: with pivots of 1e-6 rounding comes to this.
LEAST_SQUARES_GAP = 1e-5
# A row or column is measured against its own terms, but never against less than this share of the
# largest: what misses zero by 1e-15 has not missed all of it.
SMALLEST_SIZE = 1e-6
# By which share multipliers are shrunk for a reduced cost to get the sign that it needs.
SHRUNK_MULTIPLIERS = 1e-10
# Two solvers' values that are further apart can't both be certified.
VALUES_DISAGREE = 10.0 * CERTIFIED
# A goal that is missed by less (absolute) is met.
GOAL_MET = CERTIFIED

# Feasibility: what solvers are asked for, and what held optima are given.

_HIGHS = ("primal_feasibility_tolerance", "dual_feasibility_tolerance")
# Vertices that are held later: HiGHS's default of 1e-7 would be visible in the held optimum.
SOLVER_FEASIBILITY = 1e-9
PRECISE_HIGHS = dict.fromkeys(_HIGHS, SOLVER_FEASIBILITY)
# The least that HiGHS accepts.
LEAST_FEASIBILITY = 1e-10
SHARPEST_HIGHS = dict.fromkeys(_HIGHS, LEAST_FEASIBILITY)
# With 1e-6, its default, HiGHS loses feasible points beside an M of 1e6; with 1e-10, others.
MIP_FEASIBILITY = 1e-9
# By default HiGHS takes matrix entries below 1e-9 for zeros; less than this it does not allow.
SMALL_MATRIX_VALUE = 1e-12
# The gap that interior-point solvers are asked for: their last steps cost little.
INTERIOR_GAP = 1e-12
# First-order solvers and ECOS_BB; less takes them too long.
FIRST_ORDER_GAP = 1e-9
# A lock without slack may be too much to ask at first: HiGHS tries these in turn.
LOCK_FEASIBILITY = (1e-9, 1e-7)
# What a kept basis or a Newton point may violate in equilibrated units: less than solvers leave.
POINT_FEASIBILITY = 1e-9
# A row outside its limits by more than this share of 1 + its size was missed, not rounded.
ROW_MISSED = 1e-11
# Slack of a lock when all else has failed, as a share of the held optimum.
LOCK_GUARD = 1e-6
# A limit on a continuous objective gives way by this share of its size, lest rounding make the
# feasible set empty.
LIMIT_SLACK = 1e-9
# Floors of leximin that no point satisfies are loosened by this share of 1 + their size, once.
FLOOR_SLACK = 1e-7
# Locks on a cone, over 1 + the limit: by how much they are loosened to find a point inside, and
# how near the limit must be to the least value for the lock to leave no room. An interior point
# reaches 1e-8.
LOCK_LOOSENED, LOCK_AT_MINIMUM = 1e-6, 1e-6
# Drift of a held linear optimum, over its size: more than the first is not proved; more than the
# second, the rounding of a sum, may be removed by solving at the optima as floats.
LOCK_DRIFT, LOCK_DRIFT_ROUNDING = 1e-9, 1e-14
# A conflict's least violation: below is feasible, ten times as much is not.
CONFLICT_VIOLATION = 1e-6
# Entries of an unbounded ray below this share of the largest are what an interior point leaves.
RAY_NOISE = 1e-5
# A ray that gains this many times as much as it leaves the constraints counts as one.
RAY_PROOF = 1e8
# A row moves along a ray of the master LP if by more than this share of its terms.
RAY_MOVES = 1e-9

# Equality of values.

# One quantity computed twice, as a share of its size: solvers leave 1e-9.
SAME_VALUE = 1e-9
# An optimum with less uncertainty than this share of its size is known to all digits of a float.
ALL_DIGITS = 1e-13
# An optimum below this share of its unit may be zero, so that shares of it mean nothing.
MAY_BE_ZERO = 1e-4
# Another machine may add up an expression in another order.
REBOUND_VALUE = 1e-10
# By how much of the terms a saved point may miss the objective, and a constraint, of its program:
# certificates are stricter, but speak of the numbers that a solver was given.
REBOUND_OBJECTIVE, REBOUND_CONSTRAINT = 1e-6, 1e-4
# By how much of 1 + the largest entry a value may break the promised sign of its placeholder:
# solver noise.
PLACEHOLDER_NOISE = 1e-4
# A fraction and the float that stands for it: rounding, and the placeholder's promise.
FRACTION_AND_FLOAT = 1e-6
# Two sets of multipliers, or the ends of their range, over their size: noise of two solves.
SAME_PRICES = 1e-6
# An optimum found again for its derivative must meet the recorded one, over its size.
RESOLVED_VALUE = 1e-5
# Levels of tied committees (absolute); different ones are fractions of small numbers.
TIED_LEVELS = 1e-6
# Weights of panels (absolute) that are rounding.
NEGLIGIBLE_WEIGHT = 1e-12

# Active constraints and multipliers; canon/multipliers.py applies those of multipliers.

# A multiplier is measured against the terms that its columns are summed from. Vertices and
# refined points leave 1e-12 where there is none;
MULTIPLIER_ROUNDING = 1e-12
# one solve in equilibrated units leaves up to 1e-9;
MULTIPLIER_NOISE = 1e-9
# what is above 1e-7, HiGHS's default tolerance, is certainly not zero;
MULTIPLIER_CERTAIN = 1e-7
# an interior-point solver leaves up to 1e-4 of the largest.
MULTIPLIER_INTERIOR = 1e-4
# The same where all terms are rounding, as a share of the largest cost: some hundred roundings.
MULTIPLIER_FLOOR = 90.0 * EPS
# Multipliers in pairs of floats: true zeros come out below this. What lies between this and
# MULTIPLIER_NOISE may be a true multiplier of nearly parallel rows.
REFINED_ZERO = 1e-22
# Refined multipliers are real if they are this many times as large as REFINED_ZERO, and as their
# error.
REFINED_APART, ERROR_APART = 1e3, 100.0
# Reduced costs of a vertex, over 1 + the largest multiplier: one subtraction.
REDUCED_COST_ROUNDING = 8.0 * EPS
# A refined multiplier of that size, in scaled-up units, will not change its sign.
STABLE_SIGN = 2.0**24
# A bound is reached within this share of 1 + |bound|: SOLVER_FEASIBILITY.
AT_BOUND = 1e-9
# The slack of an active row, over 1 + |b|: the default feasibility of HiGHS.
ACTIVE = 1e-7
# A row leaves no room if by less than this share of its terms, at the vertices of a curve.
NO_ROOM = 1e-8
# Slacks of cones after an interior-point solver, in equilibrated units.
CONE_ACTIVE = 1e-6
# A slack and a multiplier tell which of them is zero if one is so many times the other.
SLACK_OR_MULTIPLIER = 1e3
# Parts of cones in equilibrated units: certainly not zero, and certainly zero. In between an
# interior-point solver can't tell.
CONE_NONZERO, CONE_ZERO = 1e-5, 1e-8

# Rank and conditioning.

# Singular values or eigenvalues below this share of the largest are zero: entries are data.
RANK = 1e-9
# The same in least squares of scaled systems, which are near rounding.
LEAST_SQUARES_RANK = 1e-12
# Rows of a face (absolute, rows of norm one): their numbers come from multipliers.
FACE_RANK = 1e-7
# A pivot below this share of the largest entry of its row asks for fresh factors.
SMALL_PIVOT = 1e-6
# What equations of a derivative may disagree by, over 1 + the largest of their terms.
CONSISTENT = 1e-5
# Multipliers beyond this, in equilibrated units, are on their way to infinity.
ENDLESS = 1e5
# Distances to an infimum, in equilibrated units, at which the smallest points are compared.
INFIMUM_DISTANCES = (1e-2, 1e-4, 1e-6)
# The smallest points at a hundredth and a hundredth of that from an infimum: steps that shrink by
# less, and are no errors beside the point or beside one, never end.
STEADY_STEPS, ENDLESS_SHARE, STEP_NOISE = 0.7, 1e-3, 1e-4
# Multipliers and slacks that may grow by more than this share of a unit grow without end.
GROWS = 1e-6

# Scaling. Numbers of powers of two, except for the first three.

# Solvers take bounds beyond this for infinite.
INFINITE = 1e20
# HiGHS refuses matrices with larger entries.
LARGEST_ENTRY = 1e14
# Objectives in larger units are measured again: their terms may be far within.
LARGE_UNIT = 1e6
# Smaller than its peers by 2**30, about 1e9: a rounding error, which sets no unit.
NEGLIGIBLE_POWERS = 30.0
# The same of right-hand sides and costs, which may be small in earnest: about 1e12.
NEGLIGIBLE_SIDE_POWERS = 40.0
# Numbers between 1/1024 and 1024 are no reason to scale a linear problem, whose vertices are exact.
# What an interior point leaves undone is compared with one: there 1/8 to 8 is as far.
MILD_POWERS, MILD_POWERS_CURVED = 10.0, 3.0
# Problems whose numbers still differ by more are scaled again.
WIDE_POWERS = 20.0
# Units that lead bounds and sides beyond 2**60 would make them INFINITE: then there are none.
FURTHEST_POWERS = 60.0
# Sides beyond this, in equilibrated units, are infinity as people write it: an interior point is
# first looked for without them.
OUT_OF_REACH = 1e8
# Factors beyond this could underflow.
LARGEST_FACTOR_POWERS = 200.0
# Scaling has converged; the factors are rounded to whole powers.
CONVERGED_POWERS = 0.05

# Integers.

# A bound on a whole number may be computed that much beyond it.
INTEGER_ROUNDING = 1e-6
# What a solver may call a whole number; beyond it rounding would be guessing.
NEARLY_INTEGER = 1e-3
# A row of a point with rounded integers, as a share of its terms.
ROUNDED_POINT = 1e-9
# Bounds of a whole objective that are closer than one agree.
WHOLE_GAP = 0.99
# Two whole objectives are weighed into one as long as a float tells their sums apart.
LARGEST_WEIGHT = 1e9
# Integrality-tolerance leaks: fractions up to the first are called whole by solvers; amounts below
# the second are no leak; factors below the third are no reason for one.
LEAK_FRACTION, LEAK_AMOUNT, LEAK_FACTOR = 1e-4, 1e-7, 1e4
# Coefficients of integer columns beside continuous ones: worth tightening, and so large that
# HiGHS's presolve has been seen to lose points.
LARGE_M, AMBIGUOUS_M = 1e3, 1e5

# Parametric paths and fronts.

# Rates and tableau entries below this share of the largest are rounding of many pivots; limits may
# be overstepped by as much of their size if that buys a larger pivot,
PIVOT_ROUNDING = 1e-11
# and by this share of the largest value.
RATIO_TEST_FLOOR = 1e-14
# Slopes closer than this share of the steepest, or of what the costs can make, are one, and so are
# rates of right-hand sides; curves shorter than this share of their place are one point.
SAME_SLOPE = 1e-12
# The same for slopes of curves that were joined from several solves.
BEND = 1e-9
# A segment that ends this close to its end, as a share of the parameter, has reached it; intervals
# narrower than this share of the whole are not divided.
SAME_PLACE = 1e-9
# A first feasible tolerance, or a front's length, below this share of the optimum is zero.
SAME_POINT = 1e-7
# Points of a front closer than this share of the ranges are one; as fine is a finite front sampled,
# and one that may have segments more coarsely.
FRONT_RESOLUTION, COARSE_RESOLUTION = 1e-6, 1e-2
# Where rounding stopped a path, it is taken up again so far beyond, as shares of the place.
DETOURS = (1e-6, 1e-4, 1e-2)

# Leximin: values on one level.

# As a share of the terms they are summed from, for linear programs;
SAME_LEVEL = 1e-10
# for integer programs, whose solvers leave 1e-9;
SAME_LEVEL_INTEGER = 1e-8
# as a share of the largest utility, for ordered sums of any solver.
SAME_LEVEL_SUM = 1e-7

# Sensitivity: steps of differences and what they must agree to.

# Steps of central differences of smooth expressions, over the size: errors of 1e-8 either way.
DIFFERENCE_STEP = 1e-4
# Where the problem's numbers are curved in the parameter.
CURVED_STEP = 1e-3
# The first of four steps of an extrapolation, over the size: smaller ones where they disagree,
EXTRAPOLATION_STEPS = (1e-2, 1e-3, 1e-4)
# that is, by more than this share of 1 + |slope|.
EXTRAPOLATION_AGREES = 1e-4
# One-sided differences that differ by more than this share of 1 + |slope|: a kink.
KINK = 1e-2
# Two expressions of one optimum along a step, over the step.
UNIQUE_OPTIMUM = 1e-5
# Other optima have another value of what is read, relative to the larger: more than errors do.
NOT_UNIQUE = 1e-6
# Right-hand sides moved by this share of their size to read a price.
PRICE_STEP = 1e-6
# Shares of a held optimum by which a lock on a curve is loosened to learn its price.
PRICE_STEPS = (1e-4, 1e-6)
# Changes of a Lagrangian below this share of its size are rounding.
SLOPE_NOISE = 1e-9

# Models from files, and levels that are not convex.

# What Gurobi gives every objective that says nothing of its tolerance: a guard, and no wish.
FILE_GUARD = 1e-6
# Width of the interval that proves a quasiconvex optimum, over 1 + |value|.
BISECTION_TARGET = 1e-9
# Levels of a quasiconvex objective below minus this, each with points, have no end.
BISECTION_UNBOUNDED = 1e12
# First-order conditions of a local optimum, each over its own terms.
FIRST_ORDER = 1e-6

# Display.

# Entries of a point, and prices, that are shown as zeros (absolute).
SHOWN_ZERO = 1e-9
# Bars and curves below this share of the largest are rounding.
SHOWN_NOISE = 1e-11
# Drifts above this are shown with digits, others by their order.
SHOWN_DRIFT = 1e-4
# Ranges of variables below this share of 1 + size did not move.
SHOWN_MOVE = 1e-6
# Points of a curve that are drawn as one height (absolute).
SHOWN_LEVEL = 1e-7
# Keeps a picture's divisions from zero.
SHOWN_POSITIVE = 1e-12
