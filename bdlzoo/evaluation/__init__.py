"""Protocols that run on any model of the zoo."""
