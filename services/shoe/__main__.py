"""`python -m services.shoe`: the shoe service as a process."""

from services.shoe.app import ShoeApp
from shared.runtime.main import main

if __name__ == "__main__":
    main(ShoeApp)
