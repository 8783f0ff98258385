"""Door of `bdlzoo.programs.evaluate` in a checkout: `python -m tools.evaluate`."""

from bdlzoo.programs import console, evaluate

if __name__ == "__main__":
    console.run(evaluate.main)
