"""What keeps a project from working on this machine, and what to do about it."""
