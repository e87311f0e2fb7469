"""Plain records of what was declared and found, and their text; whoever wants to may draw them."""
