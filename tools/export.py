"""Door of `bdlzoo.programs.export` in a checkout: `python -m tools.export`."""

from bdlzoo.programs import console, export

if __name__ == "__main__":
    console.run(export.main)
