"""Published tables at the scale of two cores, one file an experiment."""
