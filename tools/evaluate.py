"""Door of `bdlzoo evaluate` in a checkout: `python -m tools.evaluate`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("evaluate")
