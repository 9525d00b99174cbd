"""The way to the Member API and back: over sockets that block, or on an event loop."""
