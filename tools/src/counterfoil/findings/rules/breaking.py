"""CF4xx: what a change of the contract means for those who rely on it."""

from counterfoil.findings.rule import Rule

_BREAKING = (
    Rule(
        code="CF401",
        title="something that callers use is gone",
        why="Whoever calls it gets an error, at once and without a warning.",
        example="The tool `search` was taken out of the contract.",
        mend="Keep it, mark it `deprecated` with a date and a replacement, and remove it then.",
    ),
    Rule(
        code="CF402",
        title="something that callers use has another name",
        why="For callers it is gone, although everything that they need is still there.",
        example="The tool `delete_row` became `remove_row`; its schemas stayed the same.",
        mend="Keep the old name beside the new one, deprecated in favour of it.",
    ),
    Rule(
        code="CF410",
        title="a call needs an argument that it did not need",
        why="Every call that worked before without it is refused now.",
        example='`"region"` was added to `required`.',
        mend="Make it optional, with a default that keeps the old meaning.",
    ),
    Rule(
        code="CF411",
        title="an argument is gone",
        why=(
            "On a closed object every call that sends it is refused. On an open one it is worse: "
            "the call is accepted, and what the caller asked for is silently dropped."
        ),
        example="`ratio` was taken out of `properties`.",
        mend=(
            'Keep it, mark it `"deprecated": true` with the date in `x-deprecated`, and remove it '
            "then."
        ),
    ),
    Rule(
        code="CF412",
        title="an argument or a field has another name",
        why="Callers send or read the old name, and nothing answers to it.",
        example="`limit` became `max_rows`; its schema stayed the same.",
        mend="Keep the old name beside the new one, deprecated in favour of it.",
    ),
    Rule(
        code="CF413",
        title="an argument takes fewer values",
        why="A value that was accepted is refused now; the witness is one.",
        example='`"minimum": 1` became `"minimum": 5`.',
        mend="Accept what was accepted, or make a new argument or tool for the stricter rule.",
    ),
    Rule(
        code="CF414",
        title="an object takes no other members any more",
        why="Calls with a member that the schema does not name were accepted and are refused.",
        example='`"additionalProperties": true` became `false`.',
        mend="Leave it open until the next major version.",
    ),
    Rule(
        code="CF420",
        title="a result no longer has a field for certain",
        why="Consumers read it and find nothing.",
        example="`total` was taken out of the output schema, or out of its `required`.",
        mend="Keep it, mark it deprecated with a date, and remove it then.",
    ),
    Rule(
        code="CF421",
        title="a result may hold what it could not hold before",
        why="Consumers were written, or generated, for the values that the old schema names.",
        example='`"stale"` was added to the `enum` of an output field.',
        mend="Put what is new into a new field, or release a major version.",
    ),
    Rule(
        code="CF422",
        title="results promise nothing any more",
        why=(
            "Without an output schema no client can rely on any field, and typed ones do not "
            "compile."
        ),
        example="`outputSchema` was removed.",
        mend="Keep the schema.",
    ),
    Rule(
        code="CF430",
        title="nobody knows whether something breaks",
        why=(
            "Neither the walk through both schemas nor the containment engine can prove that what "
            "worked still works, and no call was found that stopped working. It may break; it is "
            "never counted as safe."
        ),
        example="A condition (`if`) was rewritten, or a pattern looks around.",
        mend="Look at it, and accept it by its fingerprint, or write the schema in a simpler way.",
    ),
    Rule(
        code="CF440",
        title="a hint of a tool promises less",
        why=(
            "Clients decide by hints whether they ask before a call. A hint that is left out has "
            "the value that the protocol gives it, which for `destructiveHint` and "
            "`openWorldHint` is true."
        ),
        example='`"destructiveHint": false` was removed from the annotations.',
        mend="Make a second tool for what is new, or release a major version.",
    ),
    Rule(
        code="CF441",
        title="a call needs a credential or scope that it did not need",
        why="Callers without it are refused.",
        example="`auth` went from `none` to `grant`, or `scope` was renamed.",
        mend="Announce it, and release a major version.",
    ),
    Rule(
        code="CF442",
        title="a call may cost something that was free",
        why="Callers that cannot pay, or have not agreed to, fail or are charged.",
        example="`priced` became true.",
        mend="Announce it, or make a second tool.",
    ),
    Rule(
        code="CF443",
        title="a tool is no longer offered somewhere",
        why="Whoever found it on that surface finds it no more.",
        example="`mcp` was taken out of `surfaces`.",
        mend="Keep it there, deprecated, until the date that was announced.",
    ),
    Rule(
        code="CF444",
        title="a route is called otherwise",
        why="Clients of the HTTP API call the old method or path.",
        example="The path `/v1/rows` became `/v2/rows`.",
        mend="Serve the old route beside the new one.",
    ),
    Rule(
        code="CF445",
        title="a resource is of another type",
        why="Clients read it by its media type.",
        example="`text/markdown` became `text/html`.",
        mend="Make a second resource.",
    ),
    Rule(
        code="CF446",
        title="a server no longer speaks a revision, or takes no such calls",
        why="Clients that speak nothing else cannot talk to it.",
        example="`2025-06-18` was taken out of `protocolVersions`.",
        mend="Keep the revision, or announce its end.",
    ),
)
_SECURITY = (
    Rule(
        code="CF450",
        title="a call needs a weaker credential than before",
        why="What was protected is open to more callers, perhaps by accident.",
        example="`auth` went from `grant` to `none`, or a `scope` was removed.",
        mend="Have it reviewed by whoever answers for access, then accept it by its fingerprint.",
    ),
    Rule(
        code="CF451",
        title="a server may send requests that it could not send",
        why=(
            "An outbound list is what a wrapper is trusted by; a wider one can carry data "
            "elsewhere."
        ),
        example="A new origin was added to `outbound`, or a path became a wider pattern.",
        mend="Have it reviewed, then accept it by its fingerprint.",
    ),
)
_BEHAVIOUR = (
    Rule(
        code="CF460",
        title="a text that models and people read says something else",
        why=(
            "A model decides by names and descriptions whether and how to call; every call is "
            "valid as before and may be made for other reasons."
        ),
        example="The description of a tool was rewritten.",
        mend="Read both versions as a model would; try the cases that matter.",
        severity="warning",
    ),
    Rule(
        code="CF461",
        title="a default is another one",
        why="Callers that leave the argument out get another meaning, without an error.",
        example='`"default": 10` became `"default": 100`.',
        mend="Keep the default, or say so in the release notes.",
        severity="warning",
    ),
    Rule(
        code="CF462",
        title="a format or an encoding is another one",
        why=(
            "By the specification a format tells and does not decide; many validators decide by it."
        ),
        example='`"format": "date"` was added to a string.',
        mend="Check what your consumers do with formats.",
        severity="warning",
    ),
    Rule(
        code="CF463",
        title="something else that a schema or an entry tells is not the same",
        why="Examples, icons, metadata and extensions steer models and clients.",
        example="`examples` were replaced.",
        mend="Read both versions.",
        severity="warning",
    ),
    Rule(
        code="CF464",
        title="a call is carried out otherwise",
        why="The same call may now do something else.",
        example="`exec` names another route.",
        mend="Try the cases of the tool against both versions.",
        severity="warning",
    ),
    Rule(
        code="CF465",
        title="a fixed sentence reads otherwise",
        why="It is fixed because people and programs rely on its wording.",
        example="The sentence `unknown` in `wording` was rewritten.",
        mend="Keep it, or tell those who rely on it.",
        severity="warning",
    ),
    Rule(
        code="CF466",
        title="a hint of a tool promises more",
        why="Clients may stop asking before a call.",
        example='`"destructiveHint": true` became `false`.',
        mend="Make sure that the promise is kept.",
        severity="warning",
    ),
    Rule(
        code="CF467",
        title="an end was announced, or its date moved",
        why="Consumers have until that day to change.",
        example="`deprecated` was added to a tool.",
        mend="Tell those who use it.",
        severity="warning",
    ),
    Rule(
        code="CF468",
        title="something is gone as it was announced",
        why="It was deprecated in the base, and its date has come.",
        example="A tool with a `deprecated` date in the past was removed.",
        mend="Nothing: this is what an announcement is for.",
        severity="warning",
    ),
    Rule(
        code="CF469",
        title="a server may send fewer requests",
        why="Tools that need them fail from now on.",
        example="An entry was removed from `outbound`.",
        mend="Make sure that no tool needs it.",
        severity="warning",
    ),
)
_ADDITIVE = (
    Rule(
        code="CF480",
        title="something was added",
        why="Nobody who worked before notices; it is listed so that a release can name it.",
        example="A tool `export` is new.",
        mend="Nothing: this is what a minor version is for.",
        severity="warning",
    ),
    Rule(
        code="CF481",
        title="an optional argument or a field was added",
        why="Nobody who worked before notices.",
        example="`region` was added to `properties`.",
        mend="Nothing.",
        severity="warning",
    ),
    Rule(
        code="CF482",
        title="a call takes more than before",
        why="What was accepted is accepted.",
        example='`"regex"` was added to an `enum` of an argument.',
        mend="Nothing.",
        severity="warning",
    ),
    Rule(
        code="CF483",
        title="a result promises more than before",
        why="What consumers could rely on, they still can.",
        example="A field became required in the output schema.",
        mend="Nothing.",
        severity="warning",
    ),
    Rule(
        code="CF484",
        title="less is asked of callers, or more is offered",
        why="Nobody who worked before notices.",
        example="A tool is offered on a second surface.",
        mend="Nothing.",
        severity="warning",
    ),
)
_VERSION = (
    Rule(
        code="CF490",
        title="the version has not taken the step that the changes ask for",
        why="People and tools decide by the version whether they can update without looking.",
        example="A required argument was added, and the version went from 1.2.0 to 1.3.0.",
        mend="Raise the version as the message says.",
    ),
)
RULES = (*_BREAKING, *_SECURITY, *_BEHAVIOUR, *_ADDITIVE, *_VERSION)
