"""Make routes and tools of the operations of an OpenAPI 3 document."""
