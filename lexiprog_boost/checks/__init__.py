"""What a caller gives, checked once, with one sentence for each mistake."""
