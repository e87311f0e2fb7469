"""What a member of an ensemble is: what it says, how it is trained and seeded, constants."""
