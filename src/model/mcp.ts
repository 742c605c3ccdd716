import { createMCPClient, type ListToolsResult, type MCPClient } from '@ai-sdk/mcp';
import { LIMITS } from '../contract/limits.ts';
import { type McpAnswer, McpFault, type McpPort, type McpServer, type McpTool } from '../domain/actions/mcp-port.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { GuardedFetchError } from '../outbound/guarded-fetch-error.ts';
import type { SessionBounds, SessionFetch } from '../outbound/guarded-session.ts';
import { ToolLists } from './mcp-lists.ts';

/** Taken from the start of a turn: not for long. */
const LIST_MS = 5_000;

/** Tools that are read of one server at most; a workflow can name fewer. */
const MOST_LISTED = 500;

/** How long a server may take to hear that its session is over. */
const GOODBYE_MS = 1_000;

/** MCP over streamable HTTP: one session for each list and each call, so that nothing is held between them. */
export function createMcp(fetcher: GuardedFetcher): McpPort {
  const lists = new ToolLists((server) =>
    inSession(fetcher, server, { timeoutMs: LIST_MS, maxBytes: LIMITS.actionAnswerBytes }, allTools),
  );
  return {
    listTools: (server) => lists.of(server),
    callTool: (server, { tool, arguments: given, timeoutMs, signal }) => {
      const bounds = { timeoutMs, signal, maxBytes: LIMITS.actionAnswerBytes };
      return inSession(fetcher, server, bounds, async (client) => answerOf(await callOnce(client, tool, given)));
    },
  };
}

async function inSession<T>(
  fetcher: GuardedFetcher,
  server: McpServer,
  bounds: SessionBounds,
  work: (client: MCPClient) => Promise<T>,
): Promise<T> {
  const outcome = await fetcher
    .session(bounds, (fetch) => connected(server, fetch, work))
    .catch((fault: unknown) => {
      bounds.signal?.throwIfAborted();
      // Whatever the client throws comes as the cause of this one; the server's own words stay there.
      throw new McpFault(wordsFor(fault), fault);
    });
  return outcome;
}

async function connected<T>(
  { url, headers }: McpServer,
  fetch: SessionFetch,
  work: (client: MCPClient) => Promise<T>,
): Promise<T> {
  const client = await createMCPClient({
    transport: { type: 'http', url, headers: { ...headers }, redirect: 'error', fetch: withoutPush(fetch) },
    clientName: 'parley',
    // A call that may have done something is never made again.
    maxRetries: 0,
  });
  try {
    return await work(client);
  } finally {
    const late = new Promise<void>((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
    await Promise.race([client.close().catch(() => {}), late]);
  }
}

/** What a server would say unasked is for nobody here: it is told so without a request. */
function withoutPush(fetch: SessionFetch): SessionFetch {
  return async (input, init) => (init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(input, init));
}

async function allTools(client: MCPClient): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: ListToolsResult = await client.listTools(cursor === undefined ? {} : { params: { cursor } });
    tools.push(...page.tools.map(toolOf));
    cursor = page.nextCursor;
    if (cursor === undefined || tools.length >= MOST_LISTED) return tools.slice(0, MOST_LISTED);
  }
}

function toolOf({ name, description, inputSchema }: ListToolsResult['tools'][number]): McpTool {
  return { name, description: description ?? '', inputSchema: { ...inputSchema, type: 'object' } };
}

/** The client calls tools through their definitions alone. What it is told of the schema, it does not check. */
function callOnce(client: MCPClient, name: string, given: McpTool['inputSchema']): Promise<unknown> {
  const definition = { name, inputSchema: { type: 'object' as const } };
  const tool = client.toolsFromDefinitions({ tools: [definition] })[name];
  if (!tool) throw new McpFault('The MCP server has no such tool.');
  return Promise.resolve(tool.execute(given, { toolCallId: name, messages: [] }));
}

function answerOf(result: unknown): McpAnswer {
  // The client has checked it against the protocol's schema.
  const { content, structuredContent, toolResult, isError } = result as {
    readonly content?: readonly Part[];
    readonly structuredContent?: unknown;
    readonly toolResult?: unknown;
    readonly isError?: boolean;
  };
  const told = structuredContent ?? toolResult ?? (content ?? []).map(partText).join('\n');
  return { isError: isError === true, content: told };
}

type Part = { readonly type: string; readonly text?: string; readonly uri?: string; readonly resource?: object };

function partText({ type, text, uri, resource }: Part): string {
  if (type === 'text') return text ?? '';
  if (type === 'resource_link') return uri ?? '';
  if (resource && 'text' in resource) return String(resource.text);
  return `[${type}, left out]`;
}

function wordsFor(fault: unknown): string {
  const cause = fault instanceof GuardedFetchError && fault.kind === 'failed' ? (fault.cause ?? fault) : fault;
  if (cause instanceof McpFault || cause instanceof GuardedFetchError) return cause.message;
  const { statusCode: status, code } = cause as { readonly statusCode?: unknown; readonly code?: unknown };
  if (status === 401 || status === 403) return `The MCP server answered ${status}: it does not take the credentials.`;
  if (typeof status === 'number' && status >= 300) return `The MCP server answered ${status}.`;
  // JSON-RPC: invalid params.
  if (code === -32602) return 'The MCP server refused the call: it does not take these arguments, or has no such tool.';
  if (typeof code === 'number') return 'The MCP server answered with an error.';
  return 'The MCP server could not be reached, or did not answer as the protocol has it.';
}
