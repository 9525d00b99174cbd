"""JSON Schema 2020-12: walking, references, judging."""
