"""CF11x: names, and parts of a server that do not fit one another."""

from counterfoil.findings.finding import WARNING
from counterfoil.findings.rule import Rule

RULES = (
    Rule(
        code="CF110",
        title="tool name is longer than model providers take",
        why="MCP allows 128 characters, the function names of OpenAI and Anthropic 64: a client "
        "that offers the tool to such a model has to rename or drop it.",
        example="`search_every_wager_of_the_member_on_every_chain_that_the_gateway_can_reach`",
        mend="Shorten the name to 64 characters.",
        severity=WARNING,
    ),
    Rule(
        code="CF111",
        title="name is given twice in one list",
        why="A call by that name reaches one of the two, and which one is chance "
        "(MCP, server/tools, tool names: unique within a server).",
        example="Two tools `get_fees`, two resources with one URI, two arguments `chainId`.",
        mend="Rename one of the two, or remove it.",
    ),
    Rule(
        code="CF112",
        title="two routes answer the same method and path",
        why="A server matches one of them and never the other; OpenAPI forbids paths that differ "
        "only in the names of their placeholders.",
        example="`GET /v1/{a}` and `GET /v1/{b}`",
        mend="Merge the two routes, or tell their paths apart.",
    ),
    Rule(
        code="CF113",
        title="outbound permission is given twice",
        why="Taking one of the two away looks as if the permission were gone.",
        example="Two entries with the same origin, method and path pattern.",
        mend="Remove one of the two.",
    ),
    Rule(
        code="CF114",
        title="two names become one name in code",
        why="Classes, functions, modules and packages are made from names on the wire; one of "
        "the two would overwrite the other, or be numbered by its position.",
        example="Tools `foo.bar` and `foo_bar`, servers `a1b` and `a1-b`, a shared schema "
        "`GetFeesInput` beside a tool `get_fees`, or a server `runtime`, which is the package "
        "that all servers share.",
        mend="Rename one of the two so that they differ in letters or digits.",
    ),
    Rule(
        code="CF115",
        title="server cannot carry out what its contract says",
        why="A snapshot is read by a client that calls routes and has no handlers. A wrapper can "
        "send only what its `outbound` list names, and the routes of an API are not in it. Stubs "
        "hand every call to a handler, which may do either.",
        example='`"exec": {"kind": "handler"}` on a server with `"binding": "snapshot"`.',
        mend="Change the kind of `exec` or `source`, or the server's binding.",
    ),
    Rule(
        code="CF116",
        title="replacement of something deprecated does not exist",
        why="Callers are told to move to something that they cannot find.",
        example='`"deprecated": {"date": "2027-01-31", "replacement": "no_such_tool"}`',
        mend="Name another one of the same kind and server, or leave `replacement` out.",
    ),
    Rule(
        code="CF117",
        title="replacement of something deprecated is deprecated itself",
        why="Callers would have to move twice.",
        example="`a` is replaced by `b`, and `b` by `c`.",
        mend="Name the one that stays.",
    ),
    Rule(
        code="CF118",
        title="shared schema is used by nothing",
        why="Bindings are generated for it, and nobody knows whether it may be changed.",
        example="`$defs` has `Wager`, and no schema refers to it.",
        mend="Refer to it, or remove it.",
        severity=WARNING,
    ),
    Rule(
        code="CF119",
        title="URI template breaks RFC 6570",
        why="Clients expand it (MCP, server/resources, resource templates) and get no URI.",
        example="`files://{path`, or a template without a variable.",
        mend="Write variables as `{name}`; a URI without any belongs to `resources`.",
    ),
)
