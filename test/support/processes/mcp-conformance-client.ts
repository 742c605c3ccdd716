import { createMcp } from '../../../src/model/mcp/mcp.ts';
import { createGuardedFetcher } from '../../../src/outbound/guarded-fetch.ts';

const VALUES: Readonly<Record<string, unknown>> = { string: 'x', number: 1, integer: 1, boolean: true, array: [] };

/** The client that the conformance tests of the protocol start: it lists the tools of a server and calls each of them. */
const url = process.argv.at(-1) ?? '';
const { toolCalls = [] } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
};

const mcp = createMcp(createGuardedFetcher({ allowLoopback: true }));
const server = { url, headers: {} };
const { tools } = await mcp.listTools(server);
const calls =
  toolCalls.length > 0 ? toolCalls : tools.map(({ name, inputSchema }) => ({ name, arguments: sample(inputSchema) }));
for (const { name, arguments: args } of calls) {
  const signal = new AbortController().signal;
  const result = await mcp
    .callTool(server, { tool: name, arguments: args, timeoutMs: 20_000, signal })
    .catch((error: unknown) => error);
  console.log(name, JSON.stringify(result), result instanceof Error ? result.message : '');
}

/** Arguments with the properties of a schema. */
function sample({ properties }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries((properties ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(
    entries.map(([name, { type = 'object' }]) => [name, VALUES[type] ?? tools[0]?.inputSchema]),
  );
}
