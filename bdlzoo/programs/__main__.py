"""The command `bdlzoo` as `python -m bdlzoo.programs`."""

from bdlzoo.programs import command

if __name__ == "__main__":
    command.main()
