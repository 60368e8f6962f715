"""The oracle: the engine held against numbers that others have worked out.

The dealer's play, the settlement and the pay tables are the engine's own; the arithmetic around them is exact.
"""
