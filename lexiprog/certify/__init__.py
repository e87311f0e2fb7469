"""What makes an answer an optimum, from the problem's own numbers."""
