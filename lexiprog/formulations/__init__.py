"""Well-known lexicographic programs, each one function that declares stages."""
