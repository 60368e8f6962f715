"""The ground floor: values and shapes that every service agrees on.  Pure: no clock, no chance, no I/O."""
