"""Who is asked, and in which ways: names, options, ladders, one warm HiGHS object."""
