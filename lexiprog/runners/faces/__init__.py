"""The faces that held linear optima leave, and the optima on them."""
