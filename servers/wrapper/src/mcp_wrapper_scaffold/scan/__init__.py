"""Judge a built archive: what is in it that could lead a wrapper past its gate."""
