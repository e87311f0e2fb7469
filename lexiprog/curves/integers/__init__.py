"""Integer programs in a row: steps of their objectives, and from one point to the next."""
