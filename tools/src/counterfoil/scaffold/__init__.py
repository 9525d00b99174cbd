"""Start a project: a working contract, its cases, and the configuration."""
