"""Servers and clients; the signatures are in `bdlzoo.model.signatures`."""
