"""Timings of the zoo beside plain networks and other libraries.

A section of the benchmarks is a file in `sections`; a program that is timed is a file
in `workers`. `timing.py` runs a section, `summary.py` and `details.py` write the pages.
"""
