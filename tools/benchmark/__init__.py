"""Timings of the zoo beside its peers."""
