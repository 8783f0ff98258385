"""Door of `bdlzoo acquire` in a checkout: `python -m tools.acquire`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.start("acquire")
