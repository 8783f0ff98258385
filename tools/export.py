"""Door of `bdlzoo export` in a checkout: `python -m tools.export`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("export")
