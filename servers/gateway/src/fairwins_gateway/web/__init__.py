"""HTTP: the applications, the guard before them, and the process that serves them."""
