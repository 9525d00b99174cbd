"""Two schemas side by side: what is not the same about the values that they take."""
