import { LIMITS } from '../../contract/limits.ts';
import { type LeftOutTool, McpError, type McpTool, type McpToolList } from '../../domain/actions/mcp-port.ts';
import type { McpSession } from './connection.ts';
import { hasInvalidHeaders } from './header-parameters.ts';
import { isObject } from './json-object.ts';

/** A list, and how long the server says that it stays the same. */
export interface ReadList extends McpToolList {
  readonly ttlMs: number | undefined;
}

/** Shorter than the time limit of a list, which also has the handshake: a slow server loses only its later pages. */
const PAGES_MS = 3_000;

/** Reads all pages. If a later page fails, or takes too long, the list has the tools of the pages before it. */
export async function readTools(session: McpSession): Promise<ReadList> {
  const until = performance.now() + PAGES_MS;
  const listed: unknown[] = [];
  const cursors = new Set<string>();
  let least: number | undefined;
  let problem: string | null = null;
  let cursor: string | undefined;
  do {
    const page = await readPage(session, { cursor, until }).catch((error: unknown) => {
      if (cursors.size === 0) throw error;
      return undefined;
    });
    if (page) listed.push(...page.tools);
    else problem = 'The server failed in the middle of its list, or was too slow.';
    const ttlMs = page?.ttlMs ?? least;
    least = ttlMs === undefined ? undefined : Math.min(ttlMs, least ?? ttlMs);
    cursor = page?.nextCursor;
    if (cursor !== undefined && cursors.has(cursor)) cursor = undefined;
    else if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined && cursors.size < LIMITS.mcpListPages && listed.length < LIMITS.mcpListedTools);
  if (cursor !== undefined) problem = 'The server has more tools than the service reads.';
  return { ...judged(listed, session.client.getProtocolEra() === 'modern'), problem, ttlMs: least };
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
  readonly ttlMs: number | undefined;
}

/** A cursor that is null or empty ends the list. */
async function readPage(
  { client, transport, options }: McpSession,
  { cursor, until }: { readonly cursor: string | undefined; readonly until: number },
): Promise<Page> {
  const isFirst = cursor === undefined;
  const params = isFirst ? {} : { cursor };
  const limits = isFirst ? options : { ...options, timeout: Math.max(1, until - performance.now()) };
  const result = await transport.rawResult(() => client.request({ method: 'tools/list', params }, limits));
  const { tools, nextCursor, ttlMs } = isObject(result) ? result : {};
  if (!Array.isArray(tools)) throw new McpError('The MCP server returned something other than a list of tools.');
  return {
    tools,
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
    ttlMs: typeof ttlMs === 'number' ? ttlMs : undefined,
  };
}

/** Each tool is judged alone. */
function judged(
  listed: readonly unknown[],
  isModern: boolean,
): { readonly tools: McpTool[]; readonly leftOut: LeftOutTool[] } {
  const tools: McpTool[] = [];
  const leftOut: LeftOutTool[] = [];
  const names = new Set<string>();
  for (const [index, value] of listed.slice(0, LIMITS.mcpListedTools).entries()) {
    const tool = toolOf(value);
    const position = `#${index + 1}`;
    if (typeof tool === 'string') leftOut.push({ name: position, reason: tool });
    else if (names.has(tool.name)) leftOut.push({ name: tool.name, reason: 'An earlier tool has the same name.' });
    else if (isModern && hasInvalidHeaders(tool.inputSchema))
      leftOut.push({ name: tool.name, reason: 'Its schema demands headers that the protocol does not allow.' });
    else tools.push(tool);
    if (typeof tool !== 'string') names.add(tool.name);
  }
  return { tools, leftOut };
}

/** Why it is not a tool, if it is not one. Optional fields of another type count as absent. */
function toolOf(value: unknown): McpTool | string {
  if (!isObject(value)) return 'It is not an object.';
  const { name, description, inputSchema, annotations } = value;
  if (typeof name !== 'string' || name === '') return 'It has no name.';
  const isReadOnly = isObject(annotations) && annotations.readOnlyHint === true;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema: { ...(isObject(inputSchema) && inputSchema), type: 'object' },
    isReadOnly,
  };
}
