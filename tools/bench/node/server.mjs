// The tools of fairwins-mcp on the TypeScript SDK.
//
// Usage: node server.mjs SNAPSHOT stdio | node server.mjs SNAPSHOT http PORT
//
// It does what such a server usually does: the SDK judges arguments and results by their schemas,
// and the API is read with fetch. Schemas are compiled once, since the SDK makes a server for each
// HTTP request.

import { readFileSync } from 'node:fs';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';

const [snapshotPath, transport, port] = process.argv.slice(2);
const snapshot = JSON.parse(readFileSync(snapshotPath, 'utf8'));
const base = process.env.FAIRWINS_API_URL ?? '';

const tools = snapshot.tools
    .filter(tool => tool.surfaces.includes('mcp'))
    .map(tool => ({
        name: tool.name,
        path: snapshot.routes[tool.exec.route].path,
        config: {
            title: tool.title,
            description: tool.description,
            annotations: tool.annotations,
            inputSchema: fromJsonSchema(tool.inputSchema),
            ...(tool.outputSchema && { outputSchema: fromJsonSchema(tool.outputSchema) }),
        },
    }));

async function read(path) {
    const response = await fetch(base + path);
    const text = await response.text();
    const content = [{ type: 'text', text }];
    return response.ok ? { content, structuredContent: JSON.parse(text) } : { content, isError: true };
}

function makeServer() {
    const server = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
    for (const { name, config, path } of tools) {
        server.registerTool(name, config, () => read(path));
    }
    return server;
}

if (transport === 'stdio') {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    serveStdio(makeServer);
} else {
    const { createServer } = await import('node:http');
    const { toNodeHandler } = await import('@modelcontextprotocol/node');
    createServer(toNodeHandler(createMcpHandler(makeServer))).listen(Number(port), '127.0.0.1');
}
