import { setTimeout as pause } from 'node:timers/promises';
import { createMCPClient, type ListToolsResult, type MCPClient } from '@ai-sdk/mcp';
import { JsonCost } from '../bounds/json-cost.ts';
import { hasInexactInteger } from '../contract/exact-json.ts';
import { LIMITS } from '../contract/limits.ts';
import { McpError, type McpPort, type McpResult, type McpServer, type McpTool } from '../domain/actions/mcp-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { GuardedFetchError } from '../outbound/guarded-fetch-error.ts';
import type { SessionFetch } from '../outbound/guarded-session.ts';
import type { Bounds } from '../outbound/time-limit.ts';
import { ToolLists } from './mcp-lists.ts';

/** Short, because every turn waits for it. */
const LIST_MS = 5_000;

/** The limit of tools per server. A workflow can select fewer. */
const MOST_LISTED = 500;

/** The limit of pages. A server that repeats a cursor would send its pages without an end. */
const MOST_PAGES = 100;

/** How long closing a session may take. */
const CLOSE_MS = 1_000;

/** MCP over streamable HTTP. Each list and each call has a session of its own. */
export function createMcp(fetcher: GuardedFetcher): McpPort {
  const lists = new ToolLists((server) => inSession(fetcher, server, { timeoutMs: LIST_MS }, allTools));
  return {
    listTools: (server) => lists.of(server),
    callTool: (server, { tool, arguments: args, timeoutMs, signal }) => {
      return inSession(fetcher, server, { timeoutMs, signal }, async (client) =>
        answerOf(await callOnce(client, tool, args)),
      );
    },
  };
}

/** The client parses a message and checks it against its schema at once, which would hold up other requests. */
function startCheck(): (chunk: Uint8Array) => string | undefined {
  const cost = new JsonCost();
  return (chunk) => {
    cost.add(chunk);
    if (cost.hasManyKeys) return 'The response has too many different keys.';
    return cost.hasManyItems ? 'The response has too many parts or events.' : undefined;
  };
}

async function inSession<T>(
  fetcher: GuardedFetcher,
  server: McpServer,
  bounds: Bounds,
  work: (client: MCPClient) => Promise<T>,
): Promise<T> {
  const outcome = await fetcher
    .session({ ...bounds, maxBytes: LIMITS.actionAnswerBytes, startCheck }, (fetch) => connected(server, fetch, work))
    .catch((fault: unknown) => {
      bounds.signal?.throwIfAborted();
      // The error of the client is the cause. Its message can contain the server's text, so it is not shown.
      throw new McpError(messageFor(fault), fault);
    });
  return outcome;
}

async function connected<T>(
  { url, headers }: McpServer,
  fetch: SessionFetch,
  work: (client: MCPClient) => Promise<T>,
): Promise<T> {
  const client = await createMCPClient({
    transport: { type: 'http', url, headers: { ...headers }, redirect: 'error', fetch: withoutServerStream(fetch) },
    clientName: 'parley',
    // A call can have side effects, so it is never repeated.
    maxRetries: 0,
  });
  try {
    return await work(client);
  } finally {
    const late = pause(CLOSE_MS, undefined, { ref: false });
    await Promise.race([client.close().catch(() => {}), late]);
  }
}

/** The service does not use the server's event stream. Responds with 405 without sending the request. */
function withoutServerStream(fetch: SessionFetch): SessionFetch {
  return async (input, init) => (init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(input, init));
}

async function allTools(client: MCPClient): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page: ListToolsResult = await client.listTools(cursor === undefined ? {} : { params: { cursor } });
    tools.push(...page.tools.slice(0, MOST_LISTED - tools.length).map(toolOf));
    cursor = page.nextCursor;
    if (cursor === undefined || tools.length === MOST_LISTED) break;
  }
  return tools;
}

function toolOf({ name, description, inputSchema }: ListToolsResult['tools'][number]): McpTool {
  return { name, description: description ?? '', inputSchema: { ...inputSchema, type: 'object' } };
}

/** The client calls tools only through definitions. It does not check this schema. */
function callOnce(client: MCPClient, name: string, args: McpTool['inputSchema']): Promise<unknown> {
  const definition = { name, inputSchema: { type: 'object' as const } };
  const tool = client.toolsFromDefinitions({ tools: [definition] })[name];
  if (!tool) throw new McpError('The MCP server has no such tool.');
  return Promise.resolve(tool.execute(args, { toolCallId: name, messages: [] }));
}

function answerOf(result: unknown): McpResult {
  // The client has validated it against the protocol's schema.
  const { content, structuredContent, toolResult, isError } = result as {
    readonly content?: readonly Part[];
    readonly structuredContent?: unknown;
    readonly toolResult?: unknown;
    readonly isError?: boolean;
  };
  const text = (content ?? []).map(partText).join('\n');
  const value = structuredContent ?? toolResult;
  // The text has the same data, with numbers that parsing has changed.
  const isText = value === undefined || (text !== '' && hasInexactInteger(value));
  return { isError: isError === true, content: isText ? text : value };
}

type Part = { readonly type: string; readonly text?: string; readonly uri?: string; readonly resource?: object };

function partText({ type, text, uri, resource }: Part): string {
  if (type === 'text') return text ?? '';
  if (type === 'resource_link') return uri ?? '';
  if (resource && 'text' in resource) return String(resource.text);
  return `[${type} omitted]`;
}

function messageFor(fault: unknown): string {
  const cause = fault instanceof GuardedFetchError && fault.kind === 'failed' ? (fault.cause ?? fault) : fault;
  if (cause instanceof McpError || cause instanceof GuardedFetchError) return cause.message;
  const { statusCode: status, code } = cause as { readonly statusCode?: unknown; readonly code?: unknown };
  if (status === 401 || status === 403) return `The MCP server responded with ${status}: it rejected the credentials.`;
  if (typeof status === 'number' && status >= 300) return `The MCP server responded with ${status}.`;
  // JSON-RPC: invalid params.
  if (code === -32602)
    return 'The MCP server rejected the call: the arguments are not valid, or the tool does not exist.';
  if (typeof code === 'number') return 'The MCP server returned an error.';
  return 'The MCP server could not be reached, or its response does not follow the protocol.';
}
