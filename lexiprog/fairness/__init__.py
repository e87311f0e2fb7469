"""Fair allocations: utilities raised level by level, the least first."""
