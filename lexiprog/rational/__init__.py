"""Linear programs, and chains of them, solved and proved in rational arithmetic."""
