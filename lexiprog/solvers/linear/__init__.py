"""Linear programs beyond what one run of HiGHS gives."""
