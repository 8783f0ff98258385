"""Door of `bdlzoo train` in a checkout: `python -m tools.train`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("train")
