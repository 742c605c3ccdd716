import { LIMITS } from '../../contract/limits.ts';
import { type LeftOutTool, McpError, type McpTool, type McpToolList } from '../../domain/actions/mcp-port.ts';
import { hasInvalidHeaders } from './header-parameters.ts';
import type { McpSession } from './session.ts';

/** A list, and how long the server says that it stays the same. */
export interface ReadList extends McpToolList {
  readonly ttlMs: number | undefined;
}

/** Reads all pages. If a later page fails, the list has the tools of the pages before it. */
export async function readTools({ client, transport, options }: McpSession): Promise<ReadList> {
  const listed: unknown[] = [];
  const isModern = client.getProtocolEra() === 'modern';
  const cursors = new Set<string>();
  let ttlMs: number | undefined;
  let problem: string | null = null;
  let cursor: string | undefined;
  for (let page = 0; page < LIMITS.mcpListPages && listed.length < LIMITS.mcpListedTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const request = () => client.request({ method: 'tools/list', params }, options);
    const result = await transport.rawResult(request).catch((error: unknown) => {
      if (page === 0) throw error;
      problem = 'The server failed in the middle of its list.';
    });
    if (!isObject(result)) break;
    if (page === 0 && !Array.isArray(result.tools))
      throw new McpError('The MCP server returned something other than a list of tools.');
    if (Array.isArray(result.tools)) listed.push(...result.tools);
    if (typeof result.ttlMs === 'number') ttlMs = Math.min(ttlMs ?? result.ttlMs, result.ttlMs);
    const { nextCursor } = result;
    cursor = typeof nextCursor === 'string' && nextCursor !== '' && !cursors.has(nextCursor) ? nextCursor : undefined;
    if (cursor === undefined) return { ...judged(listed, isModern), problem: null, ttlMs };
    cursors.add(cursor);
  }
  return {
    ...judged(listed, isModern),
    problem: problem ?? 'The server has more tools than the service reads.',
    ttlMs,
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
