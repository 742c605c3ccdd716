import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** A JSON-RPC message as a client sends it. */
export interface RpcMessage {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface McpRequest {
  readonly verb: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly message: RpcMessage | undefined;
}

/** A result, a JSON-RPC error, or a function that writes the response. */
export type McpReply =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } }
  | ((response: ServerResponse) => void);

/** A tool as a test writes it: its description and its implementation. */
export interface FakeTool {
  readonly description?: string;
  readonly inputSchema?: object;
  /** Further fields of the tool, which replace those of the same name. */
  readonly fields?: object;
  call(input: Readonly<Record<string, unknown>>, requests: McpRequest): McpReply;
}

/** A local MCP server with streamable HTTP and sessions. */
export interface FakeMcp {
  readonly url: string;
  readonly requests: readonly McpRequest[];
  /** The JSON-RPC methods of all requests. DELETE stands for the end of a session. */
  methods(): string[];
  /** Handles all requests with this function from now on. Undefined restores the protocol. */
  respondWith(handler: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

const SESSION = 'a-session-of-the-test';

/** A new server can get the port of a closed one. Its path differs, because the service caches lists by URL. */
let started = 0;

interface FakeOptions {
  /** Tools per page of the list. */
  readonly pageSize?: number;
  /** Responses are server-sent events. The stream stays open, or ends some milliseconds later. */
  readonly events?: boolean | 'ended';
  /** How long the server works on each request. */
  readonly delayMs?: number;
  /** Every page of the list is empty and names a new one. */
  readonly isEndless?: boolean;
  /** The revision 2026-07-28, which has no sessions. */
  readonly isModern?: boolean;
  /** Another status of a response, which has an empty body. */
  readonly statusOf?: (request: McpRequest) => number | undefined;
  /** Refuses a request with a status and `WWW-Authenticate`. */
  readonly challengeOf?: (request: McpRequest) => { readonly status: number; readonly challenge: string } | undefined;
  /** Responds to GET, with which a client resumes a stream. */
  readonly onGet?: (request: McpRequest) => (response: ServerResponse) => void;
  /** Further members of each message. */
  readonly members?: object;
  /** The result of a list, from the result that follows the protocol. */
  readonly odd?: (result: object, cursor: unknown) => object;
}

export async function startMcp(tools: Readonly<Record<string, FakeTool>>, options: FakeOptions = {}): Promise<FakeMcp> {
  const requests: McpRequest[] = [];
  const { pageSize = 100, events = false, delayMs = 0, isEndless = false, odd = (result) => result } = options;
  let override: ((response: ServerResponse) => void) | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const mcpRequest = { verb: request.method, headers: request.headers, message: body ? JSON.parse(body) : undefined };
    requests.push(mcpRequest);
    if (override) return override(response);
    await pause(delayMs);
    const special = specialResponse(options, mcpRequest);
    if (special) return special(response);
    if (!mcpRequest.message) return void response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    if (mcpRequest.message.id === undefined) return void response.writeHead(202).end();
    const reply = replyTo(mcpRequest.message, mcpRequest);
    if (typeof reply === 'function') return reply(response);
    send(response, { jsonrpc: '2.0', id: mcpRequest.message.id, ...reply, ...options.members }, events);
  });

  function replyTo({ method, params = {} }: RpcMessage, mcpRequest: McpRequest): McpReply {
    if (options.isModern && method === 'server/discover') return { result: DISCOVERED };
    if (!options.isModern && method === 'initialize') return { result: initializeResult(params) };
    if (!options.isModern && mcpRequest.headers['mcp-session-id'] !== SESSION)
      return (response) => void response.writeHead(400).end('no session');
    if (method === 'tools/list') return { result: odd(page(Number(params.cursor ?? 0)), params.cursor) };
    const tool = tools[String(params.name)];
    if (!tool) return { error: { code: -32602, message: 'Unknown tool: internal detail' } };
    return tool.call(params.arguments as Readonly<Record<string, unknown>>, mcpRequest);
  }

  function page(start: number): object {
    const pageTools = Object.entries(tools).slice(start, start + pageSize);
    const next = start + pageSize;
    return {
      tools: pageTools.map(([name, { description, inputSchema = { type: 'object' }, fields }]) => ({
        name,
        description,
        inputSchema,
        ...fields,
      })),
      ...(next < Object.keys(tools).length && { nextCursor: String(next) }),
      ...(isEndless && { tools: [], nextCursor: String(start + 1) }),
      ...(options.isModern && CACHEABLE),
    };
  }

  started += 1;
  const path = `/mcp/${started}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only pipes have an address other than AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    requests: requests,
    methods: () => requests.map(({ verb, message }) => message?.method ?? String(verb)),
    respondWith(handler) {
      override = handler;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function specialResponse({ statusOf, onGet, challengeOf }: FakeOptions, request: McpRequest) {
  const refusal = challengeOf?.(request);
  if (refusal) {
    const headers = { 'www-authenticate': refusal.challenge };
    return (response: ServerResponse) => void response.writeHead(refusal.status, headers).end();
  }
  const status = statusOf?.(request);
  if (status !== undefined) return (response: ServerResponse) => void response.writeHead(status).end();
  return request.verb === 'GET' ? onGet?.(request) : undefined;
}

const CACHEABLE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

const DISCOVERED = { ...CACHEABLE, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };

function initializeResult({ protocolVersion }: Readonly<Record<string, unknown>>): object {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'test', version: '1' } };
}

function send(response: ServerResponse, message: object, events: boolean | 'ended'): void {
  const headers = { 'mcp-session-id': SESSION };
  if (!events) {
    response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(jsonOf(message));
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  response.write(`: hello\n\nevent: message\ndata: ${jsonOf(message)}\n\n`);
  if (events === 'ended') setTimeout(() => response.end(), 5);
}

/** Stands for an object that is too deep for `JSON.stringify`. */
export const DEEP = 'a very deep object';

const LEVELS = 50_000;

/** The text of a message, with `DEEP` as an object. */
export function jsonOf(message: object): string {
  return JSON.stringify(message).replace(`"${DEEP}"`, () => `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`);
}

/** A tool result with a text. */
export function textResult(content: string, isError = false): McpReply {
  return { result: { content: [{ type: 'text', text: content }], isError } };
}

/** Closes the connection without a response. */
export function closeConnection(response: ServerResponse): void {
  response.destroy();
}
