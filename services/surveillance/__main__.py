"""`python -m services.surveillance`: the surveillance service as a process."""

from services.surveillance.app import SurveillanceApp
from shared.runtime.main import main

if __name__ == "__main__":
    main(SurveillanceApp)
