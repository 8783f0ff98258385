"""Door of `bdlzoo choose` in a checkout: `python -m tools.choose`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("choose")
