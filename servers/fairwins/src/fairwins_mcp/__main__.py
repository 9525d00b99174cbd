"""Let ``python -m fairwins_mcp`` do what the command ``fairwins-mcp`` does."""

from fairwins_mcp.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
