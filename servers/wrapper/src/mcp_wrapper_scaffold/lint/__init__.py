"""Find what would lead a wrapper's code past its gate, without running it."""
