"""JSON Schema, draft 2020-12: compile a schema once, then say where a value does not fit it."""

from __future__ import annotations

from urllib.parse import unquote

from fairwins_mcp.errors import SchemaError
from fairwins_mcp.keywords import APPLICATORS, BUILDERS, LAST, Seen, point
from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.keywords import At, Check, Found
    from fairwins_mcp.shapes import Fault

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Node:
    """A compiled subschema: checks in order, or a fixed verdict for ``true`` and ``false``."""

    __slots__ = ("checks", "isolated", "verdict")

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.verdict = True
        self.isolated = False

    def run(self, value: object, at: At, found: Found, seen: Seen | None) -> None:
        """Append what does not fit to ``found``, and record in ``seen`` what was evaluated.

        A node with an ``unevaluated…`` keyword keeps its own record, since such a keyword must not
        see what its cousins evaluated.
        """
        if not self.verdict:
            found.append((at, "is not allowed"))
            return
        own = Seen() if self.isolated else seen
        for check in self.checks:
            check(value, at, found, own)
        if self.isolated and seen is not None and own is not None:
            seen.merge(own)


class Compiler:
    """Turn one schema document into nodes; the same subschema gives the same node.

    References stay inside the document: ``#``, JSON pointers and anchors, with or without the
    document's own ``$id`` before them. ``$dynamicRef`` is one of them, for within one document the
    dynamic scope ends where the static one does. Nothing is ever fetched.
    """

    def __init__(self, document: object) -> None:
        self._document = document
        self._nodes: dict[int, Node] = {}
        self._anchors: dict[str, object] = {}
        self._id = ""
        if is_object(document):
            if document.get("$schema", DIALECT) not in (DIALECT, DIALECT + "#"):
                raise SchemaError("only the dialect of draft 2020-12 is known")
            self._id = str(document.get("$id", "")).rstrip("#")
        self._index(document, is_root=True)

    def compile(self, schema: object) -> Node:
        """Return the node of a subschema, which must belong to the document."""
        known = self._nodes.get(id(schema))
        if known is not None:
            return known
        node = Node()
        if isinstance(schema, bool):
            node.verdict = schema
            return node
        if not is_object(schema):
            raise SchemaError("a schema is neither an object nor a boolean")
        self._nodes[id(schema)] = node  # before its parts: a recursive reference finds it
        keywords = [key for key in schema if key in BUILDERS and key not in LAST]
        keywords += [key for key in LAST if key in schema]
        for keyword in keywords:
            check = BUILDERS[keyword](schema[keyword], schema, self)
            if check is not None:
                node.checks.append(check)
        node.isolated = any(key in schema for key in LAST)
        return node

    def resolve(self, reference: object) -> Node:
        """Return the node that a ``$ref`` names."""
        if not isinstance(reference, str):
            raise SchemaError("a reference is not a string")
        base, _, fragment = reference.partition("#")
        if base not in ("", self._id):
            raise SchemaError("a reference leaves the document")
        fragment = unquote(fragment)
        if not fragment or fragment.startswith("/"):
            return self.compile(self._follow(fragment))
        if fragment not in self._anchors:
            raise SchemaError("a reference names an unknown anchor")
        return self.compile(self._anchors[fragment])

    def _follow(self, pointer: str) -> object:
        place: object = self._document
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if is_object(place) and key in place:
                place = place[key]
            elif is_array(place) and key.isdigit() and int(key) < len(place):
                place = place[int(key)]
            else:
                raise SchemaError("a reference names a place that does not exist")
        return place

    def _index(self, schema: object, is_root: bool = False) -> None:
        """Collect the anchors of a schema and of every schema inside it."""
        if not is_object(schema):
            return
        if "$id" in schema and not is_root:
            raise SchemaError("a schema with an $id of its own inside another is not supported")
        for keyword in ("$anchor", "$dynamicAnchor"):
            if keyword in schema:
                self._anchors.setdefault(str(schema[keyword]), schema)
        for keyword, form in APPLICATORS.items():
            for inner in _list_schemas(schema.get(keyword), form):
                self._index(inner)


def _list_schemas(value: object, form: str) -> list[object]:
    if form == "map" and is_object(value):
        return list(value.values())
    if form == "list" and is_array(value):
        return value
    return [value] if form == "one" else []


class Schema:
    """A compiled schema.

    Raises:
        SchemaError: the document is malformed, or uses what is not supported: another dialect,
            references out of the document, an embedded ``$id``.
    """

    def __init__(self, document: object) -> None:
        try:
            self._root = Compiler(document).compile(document)
        except RecursionError as error:
            raise SchemaError("the schema is nested too deeply") from error

    def find_faults(self, value: object) -> list[Fault]:
        """List what does not fit, as (JSON pointer, sentence) pairs without repetitions."""
        found: Found = []
        try:
            self._root.run(value, None, found, None)
        except RecursionError:
            return [("", "is nested too deeply to be checked")]
        return list(dict.fromkeys((point(at), sentence) for at, sentence in found))
