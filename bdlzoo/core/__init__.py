"""Foundations of the zoo: noise, predictions, objects by name."""
