"""The contract that a new project starts with: small, served as it is, and lint-clean."""

from __future__ import annotations

from typing import Any


def starter_contract(server: str, binding: str) -> dict[str, Any]:
    """Return a contract of one server with two tools that use most of what people need."""
    made: dict[str, Any] = {
        "binding": binding,
        "instructions": "Answers questions about stored notes. It changes nothing.",
        "name": server,
        "title": server.replace("-", " ").title(),
        "tools": [_get_note(), _search_notes()],
        "version": "0.1.0",
    }
    if binding == "snapshot":
        get_note, search_notes = made["tools"]
        get_note["exec"] = {"kind": "public", "path": ["id"], "route": "note"}
        search_notes["exec"] = {
            "kind": "public",
            "query": ["limit", "query", "sort"],
            "route": "notes",
        }
        made["routes"] = [_note_route(), _notes_route()]
    if binding == "wrapper":
        made["outbound"] = [
            {"method": "GET", "origin": "https://api.example.com", "pathPattern": "/v1/notes/*"}
        ]
    return {
        "$defs": {"Note": _note()},
        "$schema": "./contract.schema.json",
        "counterfoil": 1,
        "servers": {server: made},
        "wording": {
            "unknown": "This is unknown, not empty: nothing could be read. "
            "Say so, and offer to try again."
        },
    }


def starter_cases() -> dict[str, dict[str, Any]]:
    """Return the cases of the starter's tools, by tool."""
    return {"get_note": _get_note_cases(), "search_notes": _search_notes_cases()}


def _get_note_cases() -> dict[str, Any]:
    return {
        "accepted": [
            _call("an id", {"id": "n1"}),
            _call("the longest id", {"id": "n" + "9" * 15}),
        ],
        "refused": [
            _refused("no id", {}, "id is required"),
            _refused("an empty id", {"id": ""}, "an id begins with n"),
            _refused("an id of two dots", {"id": ".."}, "an id begins with n"),
            _refused("an id that is too long", {"id": "n" + "9" * 16}, "15 digits at most"),
            _refused("an unknown argument", {"id": "n1", "all": True}, "not declared"),
        ],
        "results": {
            "accepted": [
                {"name": "a note", "value": {"id": "n1", "tags": [], "text": "Buy milk."}},
                {"name": "with a tag", "value": {"id": "n2", "tags": ["home"], "text": ""}},
            ],
            "refused": [
                {"because": "text is required", "name": "no text", "value": {"id": "n1"}},
                {"because": "not an object", "name": "a text", "value": "Buy milk."},
            ],
        },
    }


def _search_notes_cases() -> dict[str, Any]:
    return {
        "accepted": [
            _call("words only", {"query": "milk"}),
            _call("the largest limit", {"limit": 50, "query": "milk"}),
            _call("sorted by time", {"query": "milk", "sort": "newest"}),
        ],
        "refused": [
            _refused("no words", {"limit": 1}, "query is required"),
            _refused("a limit of zero", {"limit": 0, "query": "x"}, "at least 1"),
            _refused("a limit over the largest", {"limit": 51, "query": "x"}, "at most 50"),
            _refused("a limit as text", {"limit": "5", "query": "x"}, "a number is asked for"),
            _refused("an unknown order", {"query": "x", "sort": "best"}, "not in the list"),
        ],
        "results": {
            "accepted": [
                {"name": "nothing found", "value": {"notes": []}},
                {
                    "name": "one found",
                    "value": {"notes": [{"id": "n1", "tags": [], "text": "Buy milk."}]},
                },
            ],
            "refused": [
                {"because": "notes is required", "name": "no list", "value": {}},
                {"because": "a list is asked for", "name": "null", "value": {"notes": None}},
            ],
        },
    }


def _note() -> dict[str, Any]:
    return {
        "properties": {
            "id": {"description": "The note's id.", "type": "string"},
            "tags": {
                "description": "Its tags, in the order they were given.",
                "items": {"type": "string"},
                "type": "array",
            },
            "text": {"description": "The note itself.", "type": "string"},
        },
        "required": ["id", "tags", "text"],
        "type": "object",
    }


def _get_note() -> dict[str, Any]:
    return {
        "annotations": {"openWorldHint": False, "readOnlyHint": True},
        "auth": "none",
        "description": "Read one note by its id. Use search_notes to find ids.",
        "exec": {"kind": "handler"},
        "inputSchema": {
            "additionalProperties": False,
            "properties": {
                "id": {
                    "description": "Id of the note: n and up to 15 digits.",
                    "pattern": "^n[0-9]{1,15}$",
                    "type": "string",
                }
            },
            "required": ["id"],
            "type": "object",
        },
        "name": "get_note",
        "outputSchema": {"$ref": "#/$defs/Note"},
        "surfaces": ["mcp"],
        "title": "Read a note",
    }


def _search_notes() -> dict[str, Any]:
    return {
        "annotations": {"openWorldHint": False, "readOnlyHint": True},
        "auth": "none",
        "description": "Find notes that hold all the words. The list may be empty.",
        "exec": {"kind": "handler"},
        "inputSchema": {
            "additionalProperties": False,
            "properties": {
                "limit": {
                    "default": 10,
                    "description": "How many notes to return at the most.",
                    "maximum": 50,
                    "minimum": 1,
                    "type": "integer",
                },
                "query": {
                    "description": "Words to look for.",
                    "maxLength": 200,
                    "minLength": 1,
                    "type": "string",
                },
                "sort": {
                    "default": "relevance",
                    "description": "Order of the notes.",
                    "enum": ["newest", "relevance"],
                    "type": "string",
                },
            },
            "required": ["query"],
            "type": "object",
        },
        "name": "search_notes",
        "outputSchema": {
            "properties": {
                "notes": {
                    "description": "What was found.",
                    "items": {"$ref": "#/$defs/Note"},
                    "type": "array",
                }
            },
            "required": ["notes"],
            "type": "object",
        },
        "surfaces": ["mcp"],
        "title": "Search notes",
    }


def _note_route() -> dict[str, Any]:
    return {
        "auth": "none",
        "class": "free",
        "description": "Reads one note.",
        "id": "note",
        "method": "GET",
        "path": "/v1/notes/{id}",
        "pathParams": [
            {"description": "Id of the note.", "name": "id", "pattern": "^n[0-9]{1,15}$"}
        ],
        "response": {"$ref": "#/$defs/Note"},
    }


def _notes_route() -> dict[str, Any]:
    return {
        "auth": "none",
        "class": "free",
        "description": "Finds notes.",
        "id": "notes",
        "method": "GET",
        "path": "/v1/notes",
        "queryParams": [
            {"description": "How many.", "name": "limit", "pattern": "^[1-9][0-9]?$"},
            {
                "description": "Words to look for.",
                "name": "query",
                "pattern": "^[^\\n]{1,200}$",
                "required": True,
            },
            {"description": "Order.", "name": "sort", "pattern": "^(newest|relevance)$"},
        ],
        "response": {
            "properties": {"notes": {"items": {"$ref": "#/$defs/Note"}, "type": "array"}},
            "required": ["notes"],
            "type": "object",
        },
    }


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"arguments": arguments, "name": name}


def _refused(name: str, arguments: dict[str, Any], because: str) -> dict[str, Any]:
    return {"arguments": arguments, "because": because, "name": name}
