"""The only floor with I/O: where pure decisions meet a clock, a disk and a network."""
