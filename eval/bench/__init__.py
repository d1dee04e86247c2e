"""`make bench`: CPU time, memory and growth, beside peers in the same run."""
