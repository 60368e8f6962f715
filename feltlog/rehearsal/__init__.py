"""Rehearsals: the services' pure rooms stepped in one process, with time, chance and money from data."""
