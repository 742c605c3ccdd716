import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message of JSON-RPC as a client sends it. */
export interface RpcMessage {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface McpAsked {
  readonly verb: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly message: RpcMessage | undefined;
}

/** A result, an error of JSON-RPC, or whatever else is to be done with the answer. */
export type McpReply =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } }
  | ((response: ServerResponse) => void);

/** A tool as a test writes it: how it is told of, and what it answers. */
export interface FakeTool {
  readonly description?: string;
  readonly inputSchema?: object;
  call(given: Readonly<Record<string, unknown>>, asked: McpAsked): McpReply;
}

/** An MCP server on this machine that speaks streamable HTTP, with sessions. */
export interface FakeMcp {
  readonly url: string;
  readonly asked: readonly McpAsked[];
  /** Methods of JSON-RPC that were asked, and DELETE where a session was ended. */
  methods(): string[];
  /** Treats all requests so from now on; undefined for as the protocol has it. */
  treat(how: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

const SESSION = 'a-session-of-the-test';

/** `pageSize`: tools of one page of the list. `events`: answers come as server-sent events, and the stream stays open. */
export async function startMcp(
  tools: Readonly<Record<string, FakeTool>>,
  { pageSize = 100, events = false } = {},
): Promise<FakeMcp> {
  const asked: McpAsked[] = [];
  let treatment: ((response: ServerResponse) => void) | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const one = { verb: request.method, headers: request.headers, message: body ? JSON.parse(body) : undefined };
    asked.push(one);
    if (treatment) return treatment(response);
    if (!one.message) return void response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    if (one.message.id === undefined) return void response.writeHead(202).end();
    const reply = replyTo(one.message, one);
    if (typeof reply === 'function') return reply(response);
    send(response, { jsonrpc: '2.0', id: one.message.id, ...reply }, events);
  });

  function replyTo({ method, params = {} }: RpcMessage, one: McpAsked): McpReply {
    if (method === 'initialize') return { result: initialized(params) };
    if (one.headers['mcp-session-id'] !== SESSION) return (response) => void response.writeHead(400).end('no session');
    if (method === 'tools/list') return { result: page(Number(params.cursor ?? 0)) };
    const tool = tools[String(params.name)];
    if (!tool) return { error: { code: -32602, message: 'Unknown tool: internal detail' } };
    return tool.call(params.arguments as Readonly<Record<string, unknown>>, one);
  }

  function page(start: number): object {
    const listed = Object.entries(tools).slice(start, start + pageSize);
    const next = start + pageSize;
    return {
      tools: listed.map(([name, { description, inputSchema = { type: 'object' } }]) => ({
        name,
        description,
        inputSchema,
      })),
      ...(next < Object.keys(tools).length && { nextCursor: String(next) }),
    };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A port is an AddressInfo for everything but pipes.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    methods: () => asked.map(({ verb, message }) => message?.method ?? String(verb)),
    treat(how) {
      treatment = how;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function initialized({ protocolVersion }: Readonly<Record<string, unknown>>): object {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'test', version: '1' } };
}

function send(response: ServerResponse, message: object, events: boolean): void {
  const headers = { 'mcp-session-id': SESSION };
  if (!events) {
    response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(message));
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  response.write(`: hello\n\nevent: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** What a tool answers with a text. */
export function said(words: string, isError = false): McpReply {
  return { result: { content: [{ type: 'text', text: words }], isError } };
}

/** Breaks a connection off. */
export function cut(response: ServerResponse): void {
  response.destroy();
}
