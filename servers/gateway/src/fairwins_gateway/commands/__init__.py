"""The commands: each adds its arguments to a parser, and has a function that carries it out."""
