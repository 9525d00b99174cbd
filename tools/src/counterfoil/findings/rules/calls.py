"""CF15x: routes and who calls them. CF16x: resources and prompts. CF17x: outbound."""

from counterfoil.findings.finding import WARNING
from counterfoil.findings.rule import Rule

ROUTES = (
    Rule(
        code="CF150",
        title="path and path parameters disagree",
        why="A placeholder that nothing fills is sent in braces; a parameter without a place is "
        "checked and then lost.",
        example='`"path": "/v1/{chain}"` with a path parameter `chainId`.',
        mend="Use the same names on both sides, each once.",
    ),
    Rule(
        code="CF151",
        title="path of a route has a dot segment",
        why="Clients collapse it before sending, so another path is asked.",
        example='`"path": "/v1/../admin"`',
        mend="Write the path that is meant.",
    ),
    Rule(
        code="CF152",
        title="route does not exist",
        why="The call has nowhere to go.",
        example='`"exec": {"kind": "route", "route": "fee"}` where the route is `fees`.',
        mend="Name a route of the same server.",
    ),
    Rule(
        code="CF153",
        title="argument is passed on that the tool does not take",
        why="It is never there, or it is whatever an open schema lets through unchecked.",
        example='`"query": ["first"]` without a property `first`.',
        mend="Add the property to `inputSchema`, or take the name out of `exec`.",
    ),
    Rule(
        code="CF154",
        title="argument is passed on that the route does not take",
        why="The API passes over it or refuses the call.",
        example='`"query": ["limit"]` where the route\'s parameter is `first`.',
        mend="Declare the parameter on the route, or take the name out of `exec`.",
    ),
    Rule(
        code="CF155",
        title="required parameter of a route can stay unfilled",
        why="A call that the tool's schema accepts is refused by the API.",
        example="A path parameter that an optional argument without a default fills.",
        mend="Make the argument required or give it a default, and name it in `exec`.",
    ),
    Rule(
        code="CF156",
        title="argument goes nowhere",
        why="A model sets it and believes in an effect that it does not have.",
        example="A property `limit` that `exec` names in neither path, query nor body.",
        mend="Name it in `exec`, or take the property out.",
    ),
    Rule(
        code="CF157",
        title="tool and route disagree about who may call",
        why="A credential would be sent where none is asked, or be missing where one is; a scope "
        "or a price would be shown that does not hold. Kind `route` is for routes with auth "
        "`bearer` and tools with auth `grant`, kind `public` for routes and tools with auth "
        "`none`; scopes are equal, and a tool is priced when its route can be.",
        example='`"scope": "read:fees"` on the tool and `read:wagers` on its route.',
        mend="Change the side that is wrong.",
    ),
    Rule(
        code="CF158",
        title="argument is not proven to fit the path",
        why="A call that the tool's schema accepts is refused while its path is built, at best.",
        example="A string without a pattern, or an integer without a minimum, for a path "
        "parameter `^[1-9][0-9]*$`.",
        mend="Give the argument the parameter's pattern, an enum, or bounds within it.",
    ),
    Rule(
        code="CF159",
        title="place that can be unreadable is not in the response",
        why="A reader looks for the unknown where it can never stand, and takes the answer for "
        "complete.",
        example='`"at": "/chain/*/state"` where the response has `chains`.',
        mend="Correct the pointer or the value, or declare the member in `response`.",
    ),
)

PROMPTS = (
    Rule(
        code="CF160",
        title="resource cannot be read from its route",
        why="Reading a resource is a GET without arguments.",
        example="A resource whose route has a path parameter, or is a POST.",
        mend="Use another route, or make it a tool.",
    ),
    Rule(
        code="CF161",
        title="placeholder without an argument",
        why="The model reads the braces.",
        example="`Review {chain}.` where the argument is `chainId`.",
        mend="Declare the argument, or correct the name.",
    ),
    Rule(
        code="CF162",
        title="argument of a prompt is not used",
        why="A person fills it in and it has no effect.",
        example="An argument `chainId` that stands in no message.",
        mend="Use it in a message, or take it out.",
    ),
    Rule(
        code="CF163",
        title="whenAbsent and required disagree",
        why="An optional argument that is not given leaves a hole in the text; for a required one "
        "the text is never used.",
        example='`{"name": "chainId", "required": false}` without `whenAbsent`.',
        mend="Give an optional argument a `whenAbsent`, and a required one none.",
    ),
)

OUTBOUND = (
    Rule(
        code="CF170",
        title="outbound origin is not exact",
        why="A gate compares origins as text after one parser has read the URL: what the parser "
        "would write otherwise never matches, or matches more than was meant.",
        example="`https://API.example.com`, `https://api.example.com:443`, `https://*.example.com`",
        mend="Write the scheme, the host in lower case, and a port only if it is not the default.",
    ),
    Rule(
        code="CF171",
        title="outbound path pattern is not exact",
        why="Servers and clients differ in how they read such a path, so the gate would allow one "
        "request and another would be sent.",
        example="`/v1/../x`, `/v1//x`, `/v1/%2a`, `/v1/**`",
        mend="Write an absolute path of plain characters, with * within a segment.",
    ),
    Rule(
        code="CF172",
        title="POST to a path that ends in a bare wildcard",
        why="The wildcard takes `:verb` too, so reading and deleting by POST are both allowed.",
        example="`POST https://api.example.com/v1/items/*`",
        mend="Name the verb: `/v1/items/*:search`.",
        severity=WARNING,
    ),
)

RULES = (*ROUTES, *PROMPTS, *OUTBOUND)
