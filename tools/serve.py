"""Door of `bdlzoo serve` in a checkout: `python -m tools.serve`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("serve")
