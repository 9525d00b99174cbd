"""Write a project of a read-only wrapper, around a contract."""
