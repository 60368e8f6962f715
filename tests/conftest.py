"""What holds for every test: hypothesis judges what is computed, never how long a busy machine took."""

from hypothesis import settings

settings.register_profile("house", deadline=None, print_blob=True)
settings.load_profile("house")
