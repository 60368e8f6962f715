"""Rehearsals: the services' pure rooms stepped in one process, with time, chance and money from data.

Nothing here runs in production, and nothing here decides: a rehearsal gives the real deciders a world that can be repeated.
"""
