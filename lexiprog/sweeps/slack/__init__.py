"""The whole curve of what slack on one level buys, by the kind of the later problems."""
