"""Door of `bdlzoo.programs.train` in a checkout: `python -m tools.train`."""

from bdlzoo.programs import console, train

if __name__ == "__main__":
    console.run(train.main)
