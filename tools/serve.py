"""Door of `bdlzoo.programs.serve` in a checkout: `python -m tools.serve`."""

from bdlzoo.programs import console, serve

if __name__ == "__main__":
    console.run(serve.main)
