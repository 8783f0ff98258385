"""A long, mixed load on a server and on training runs, which is counted.

`python -m tests.soak --minutes=30` runs it.
"""
