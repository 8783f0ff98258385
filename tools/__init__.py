"""Programs, one verb each."""
