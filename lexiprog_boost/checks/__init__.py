"""What a caller gives: checked once, a sentence for each mistake, and described once."""
