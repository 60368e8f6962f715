"""The published language: what the services say to each other and to the world.  One module per owning service."""
