"""The published language: what the services say to each other and to the world, a module for each idea.

A table says and hears `table`, with `cutting` and `asking` for the cut, and `burns`, `procedure` and `restrictions` for what
persons do there; a round `rounds`, with `wagers`, `dealing` and `decisions`; `rulings` are spoken in both.  A shoe has `shoe`, a
ledger `wallet`, with `cage`, `promo` and `caps` for staff, `stakes` for tables, and `accounts` for names; every service has `desk`.
How it travels and who may speak: `subjects`, `requests`, `refusals`, `staff`, `language`, `following`.
"""
