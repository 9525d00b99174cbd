"""CF3xx: where two descriptions of the same surface disagree."""

from counterfoil.findings.rule import Rule

_SERVED = (
    Rule(
        code="CF301",
        title="the server does not list a tool of the contract",
        why="Callers generated from the contract call a tool that is not there.",
        example="A handler was never registered, or a stale snapshot is served.",
        mend="Serve the tool, or take it out of the contract.",
    ),
    Rule(
        code="CF302",
        title="the server lists a tool that the contract does not have",
        why="A tool that no review of the contract has seen is offered to models.",
        example="A debugging tool was left registered.",
        mend="Add the tool to the contract, or stop serving it.",
    ),
    Rule(
        code="CF303",
        title="the server lists a tool otherwise than the contract has it",
        why="A model decides by the listed text and schema, not by the contract.",
        example='The server lists `"maximum": 100` where the contract has 200.',
        mend="Regenerate the server's bindings, or change the contract.",
    ),
    Rule(
        code="CF304",
        title="the server does not list a resource or prompt of the contract",
        why="A client that follows the contract asks for something that is not there.",
        example="A prompt was renamed in the server only.",
        mend="Serve it, or take it out of the contract.",
    ),
    Rule(
        code="CF305",
        title="the server lists a resource or prompt that the contract does not have",
        why="It is offered to clients without having been reviewed in the contract.",
        example="A resource for debugging was left in.",
        mend="Add it to the contract, or stop serving it.",
    ),
    Rule(
        code="CF306",
        title="the server lists a resource or prompt otherwise than the contract has it",
        why="Clients show and choose by the listed text.",
        example="A prompt's argument is required by the server and optional in the contract.",
        mend="Regenerate the server's bindings, or change the contract.",
    ),
    Rule(
        code="CF307",
        title="the server says something else of itself",
        why="Name, version and instructions are what clients log, pin and show to the model.",
        example="serverInfo.version is 0.1.0 and the contract says 0.2.0.",
        mend="Feed the server from its generated surface, or change the contract.",
    ),
    Rule(
        code="CF308",
        title="the contract claims an MCP revision that the server does not speak",
        why="A client of that revision cannot connect.",
        example="protocolVersions has 2025-03-26 and the server offers another one.",
        mend="Speak the revision, or take it out of protocolVersions.",
    ),
    Rule(
        code="CF309",
        title="the server speaks an MCP revision that the contract does not claim",
        why="What the contract does not claim, nobody checks.",
        example="server/discover lists 2026-07-28 and protocolVersions does not.",
        mend="Add the revision to protocolVersions.",
    ),
)

_OUTPUTS = (
    Rule(
        code="CF310",
        title="a generated output lacks something of the contract",
        why="It is read back on its own, so this also catches a generator that left it out.",
        example="The stubs have no method for a tool.",
        mend="Run `counterfoil generate`.",
    ),
    Rule(
        code="CF311",
        title="a generated output holds something that the contract does not have",
        why="Callers of the binding call something that is not there.",
        example="A model of a removed tool.",
        mend="Run `counterfoil generate`.",
    ),
    Rule(
        code="CF320",
        title="a vendored surface says something else than the contract",
        why="The server that vendors it serves what it says, whatever the contract says.",
        example="A description was edited in snapshot.json by hand.",
        mend="Make the change in the contract, then run `counterfoil generate`.",
    ),
    Rule(
        code="CF321",
        title="a vendored surface is equal in meaning and not byte for byte",
        why="We own these bytes: one contract gives one text, so that copies can be compared.",
        example="The file was reformatted.",
        mend="Run `counterfoil generate`; keep formatters away from the file.",
    ),
    Rule(
        code="CF330",
        title="a client's route is not as the route table has it",
        why="The client calls a path that the gateway does not serve, or with other parameters.",
        example="`/v1/member/wagers` in the table and `/v1/wagers` in the client's.",
        mend="Run `counterfoil generate`, or change the route in the contract.",
    ),
)

_WORDING = (
    Rule(
        code="CF340",
        title="a file does not hold a fixed sentence that it must",
        why="The sentence is what keeps a model from reporting a failure as an empty result.",
        example="A guide that rephrases the sentence.",
        mend="Put the sentence in as the contract's `wording` has it, to the letter.",
    ),
    Rule(
        code="CF341",
        title="a fixed sentence is used nowhere",
        why="A sentence that nothing uses cannot be the same everywhere.",
        example="`wording.price` with no vendored surface and no file listed for it.",
        mend="List the files that hold it in [[tool.counterfoil.wording]], or remove it.",
    ),
    Rule(
        code="CF342",
        title="the configuration lists a sentence or file that there is not",
        why="A stale entry looks like a check and checks nothing.",
        example='[[tool.counterfoil.wording]] name = "unknwon"',
        mend="Correct the entry in pyproject.toml, or remove it.",
    ),
    Rule(
        code="CF350",
        title="the configuration asks a server that the contract does not have",
        why="A stale entry looks like a check and checks nothing.",
        example='[[tool.counterfoil.server]] id = "old-server"',
        mend="Correct the entry in pyproject.toml, or remove it.",
    ),
    Rule(
        code="CF351",
        title="a server shows something that was not compared",
        why="What nobody compared may say anything, and a clean run would look like a proof.",
        example="The server claims only 2031-01-01, which this toolchain does not speak.",
        mend="Take a toolchain that speaks the revision, or let server and contract share one.",
    ),
)

_ALLOWLISTS = (
    Rule(
        code="CF360",
        title="a wrapper does not permit a request of the contract",
        why="A tool that needs the request fails, although every review of the contract says it "
        "works.",
        example="`outbound` has POST /token, and the wrapper's own list does not.",
        mend="Use the generated allowlist, or take the entry out of the contract.",
    ),
    Rule(
        code="CF361",
        title="a wrapper permits a request that the contract does not have",
        why="What may be sent was widened where no review of the contract sees it.",
        example="A hand-written list has a path pattern of /* for one of /v1/*.",
        mend="Use the generated allowlist, or add the entry to the contract's `outbound`.",
    ),
)

RULES: tuple[Rule, ...] = (*_SERVED, *_OUTPUTS, *_WORDING, *_ALLOWLISTS)
