"""Fair problems that no linear shortcut serves: any solver, curves, integers, fractions."""
