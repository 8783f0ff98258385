"""Check that all schedules make of their numbers."""


def check_positive(**values):
    """Raises where one of the named values is not above 0."""
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"Expected a positive number. Received: {name}={value}")
