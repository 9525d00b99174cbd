// Call methods of a TypeScript SDK client, and print what each comes to, as one JSON document.
//
// usage: node client.mjs '{"sdk": 2, "mode": "auto", "url": "http://…", "headers": {}, "calls": [["listTools", {}]]}'
//    or: with "command", "args" and "env" in place of "url" and "headers"
//
// sdk   1: @modelcontextprotocol/sdk, which knows no modes; 2: @modelcontextprotocol/client
// mode  auto, legacy, or the revision to insist on

const LOAD = {
  1: async () => ({
    ...(await import("@modelcontextprotocol/sdk/client/index.js")),
    ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    ...(await import("@modelcontextprotocol/sdk/client/stdio.js")),
  }),
  2: async () => ({
    ...(await import("@modelcontextprotocol/client")),
    ...(await import("@modelcontextprotocol/client/stdio")),
  }),
};
const MODES = { auto: { mode: "auto" }, legacy: undefined };

const job = JSON.parse(process.argv[2]);
const { Client, StdioClientTransport, StreamableHTTPClientTransport } = await LOAD[job.sdk]();

const negotiation = job.mode in MODES ? MODES[job.mode] : { mode: { pin: job.mode } };
const client = new Client(
  { name: "counterfoil-tests", version: "1" },
  negotiation && { versionNegotiation: negotiation },
);
const transport = job.url
  ? new StreamableHTTPClientTransport(new URL(job.url), { requestInit: { headers: job.headers } })
  : new StdioClientTransport({ command: job.command, args: job.args, env: job.env });

await client.connect(transport);
const answers = [];
for (const [method, params] of job.calls) {
  try {
    answers.push({ result: await client[method](params) });
  } catch (error) {
    answers.push({ error: { code: error.code ?? null, message: error.message } });
  }
}
const revision = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? null;
console.log(JSON.stringify({ revision, server: client.getServerVersion() ?? null, answers }));
await client.close();
