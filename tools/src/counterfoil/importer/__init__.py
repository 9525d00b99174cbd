"""Make a contract of what a server lists, of a recorded list, or of an OpenAPI document."""
