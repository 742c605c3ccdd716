import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What the tool `wait` reports. */
export interface Waiting {
  /** The calls that have begun. */
  begun: number;
  /** The calls that their client has cancelled. */
  cancelled: number;
}

/** A server of an official package. */
export interface OfficialServer {
  readonly url: string;
  readonly waiting: Waiting;
  /** The methods of HTTP with those of the messages, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

const CITY = z.object({ city: z.string() });

const untilAborted = async (waiting: Waiting, signal: AbortSignal) => {
  waiting.begun += 1;
  if (!signal.aborted) await once(signal, 'abort');
  waiting.cancelled += 1;
  return { content: [] };
};

const sunny = (city: string) => ({
  content: [{ type: 'text' as const, text: `Sunny in ${city}` }],
  structuredContent: { sky: 'clear', city },
});

const SKY = z.object({ sky: z.string(), city: z.string() });

/** The package of the revision 2026-07-28. It rejects all others. */
export function startModernServer(): Promise<OfficialServer> {
  const waiting = { begun: 0, cancelled: 0 };
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1' });
      server.registerTool('weather', { inputSchema: CITY, outputSchema: SKY }, ({ city }) => sunny(city));
      server.registerTool('wait', { inputSchema: z.object({}) }, (_, { mcpReq }) =>
        untilAborted(waiting, mcpReq.signal),
      );
      return server;
    },
    { legacy: 'reject' },
  );
  // The types of the package are not written for exactOptionalPropertyTypes.
  return listen(toNodeHandler(handler) as Handler, waiting);
}

/** The package of the earlier revisions, with sessions. */
export function startOldServer(): Promise<OfficialServer> {
  const waiting = { begun: 0, cancelled: 0 };
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const server = new OldServer({ name: 'old', version: '1' });
    server.registerTool('weather', { inputSchema: CITY, outputSchema: SKY }, ({ city }) => sunny(city));
    server.registerTool('wait', { inputSchema: z.object({}) }, (_, { signal }) => untilAborted(waiting, signal));
    // The types of the package are not written for exactOptionalPropertyTypes.
    await server.connect(transport as Parameters<OldServer['connect']>[0]);
    return transport;
  };
  return listen(async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? sessions.get(id) : await open();
    if (transport) await transport.handleRequest(request, response, body);
    else response.writeHead(404).end();
  }, waiting);
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: unknown) => unknown;

async function listen(handle: Handler, waiting: Waiting): Promise<OfficialServer> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? JSON.parse(await text(request)) : undefined;
    requests.push(body?.method ?? String(request.method));
    handle(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only pipes have an address other than AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${randomUUID()}`,
    waiting,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
