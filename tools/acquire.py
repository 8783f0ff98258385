"""Door of `bdlzoo.programs.acquire` in a checkout: `python -m tools.acquire`."""

from bdlzoo.programs import acquire, console

if __name__ == "__main__":
    console.run(acquire.main)
