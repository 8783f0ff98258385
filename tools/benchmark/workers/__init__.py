"""Workers of the benchmarks, each a process of its own.

A worker answers commands on stdin, as `protocol.py` describes. A worker with a file
`<worker>.txt` beside it runs in an environment of its own: each line of that file is
the arguments of one `pip install`. If its first line is `# beside our packages`, the
worker can import the packages of the zoo too.
"""
