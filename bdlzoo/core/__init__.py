"""The ground floor: noise, predictions, objects by name."""
