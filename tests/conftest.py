"""What holds for every test: hypothesis judges what is computed, never how long a busy machine took.

`make test` draws a few examples of each property, so that it can be run all the time; HYPOTHESIS_PROFILE=thorough draws many.
"""

import os

from hypothesis import settings

settings.register_profile("house", deadline=None, print_blob=True, max_examples=25)
settings.register_profile("thorough", deadline=None, print_blob=True, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))
