"""Why the services are believed."""
