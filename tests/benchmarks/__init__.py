"""Where the house stands: what it does in a second, beside something that does the like.  `make bench`, docs/benchmarks.md."""
