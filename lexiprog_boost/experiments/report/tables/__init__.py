"""Tables of a study, each a function from `Results` to the text of a file."""
