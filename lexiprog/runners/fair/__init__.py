"""Fair problems: linear ones on one HiGHS object, and lotteries with an oracle."""
