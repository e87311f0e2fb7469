"""Draws what outlines describe; nothing in the engine depends on it."""
