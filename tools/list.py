"""Door of `bdlzoo list` in a checkout: `python -m tools.list`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("list")
