"""Door of `bdlzoo play` in a checkout: `python -m tools.play`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("play")
