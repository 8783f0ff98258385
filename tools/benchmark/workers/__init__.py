"""Contenders of the benchmarks, each a process of its own.

A worker answers commands on stdin, see `protocol.py`. Where `<worker>.txt` lies
beside it, it lives in an environment of its own: every line of that file is what
one `pip install` is told. Where the first line is `# beside our packages`, it finds
those of the zoo too.
"""
