"""Bridges to packages whose work these hierarchies do; each module is named for its package.

Nothing of a package is imported before a function here is called with its objects.
"""
