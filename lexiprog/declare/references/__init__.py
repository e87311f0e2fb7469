"""Placeholders for earlier optima: how they are made, and what is known of them."""
