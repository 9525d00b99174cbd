"""What each route of the document does."""
