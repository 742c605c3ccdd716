import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../contract/limits.ts';
import { TOOL_NAME_PATTERN } from '../../contract/tool-names.ts';
import type { Context } from '../context.ts';
import { schemaProblem } from '../json-schema/schema-problem.ts';
import type { McpServerConfig } from '../workflows/config.ts';
import { mcpPrefix } from '../workflows/server-tool-names.ts';
import { ActionError } from './action-error.ts';
import { headersOf } from './http-request.ts';
import { requireIntegration } from './integration.ts';
import { McpError, type McpTool } from './mcp-port.ts';
import type { OfferedAction } from './offered-action.ts';
import { modelOutput } from './output.ts';
import { maskOf } from './secrets.ts';

/**
 * Lists the tools of a server for the model. If the server fails or is not connected in this environment, the list is
 * empty, and the turn continues without them.
 */
export async function offeredMcpTools(ctx: Context, server: McpServerConfig): Promise<OfferedAction[]> {
  const facts = { request_id: ctx.request.id, integration: server.integration };
  try {
    const { url, headers } = await requireIntegration(ctx, 'mcp', server.integration);
    const listed = await ctx.services.mcp.listTools({ url, headers: headersOf(headers) });
    const allowed = listed.filter(({ name }) => isAllowed(server, name)).slice(0, LIMITS.mcpTools);
    const offered = await offeredOf(server, allowed, namesOf(listed));
    const unique = offered.filter(({ name }, index) => offered.findIndex((tool) => tool.name === name) === index);
    const leftOut = allowed.length - unique.length;
    if (leftOut > 0) ctx.services.log.warn({ ...facts, left_out: leftOut }, 'tools of an MCP server cannot be offered');
    return unique;
  } catch (error) {
    const isExpected = error instanceof ActionError || error instanceof McpError;
    const fault = isExpected ? { fault: error.message } : { err: error };
    ctx.services.log.warn({ ...facts, ...fault }, 'the tools of an MCP server are not offered');
    return [];
  }
}

/** Calls a tool of a server once. @throws {ActionError} or the reason of the signal */
export async function runMcpTool(
  ctx: Context,
  server: McpServerConfig,
  call: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isAllowed(server, call.tool)) throw new ActionError('This tool is no longer available.');
  const { url, headers } = await requireIntegration(ctx, 'mcp', server.integration);
  const reached = { url, headers: { ...headersOf(headers), ...ctx.services.tracing?.headers() } };
  const result = await ctx.services.mcp
    .callTool(reached, { ...call, timeoutMs: server.timeoutSeconds * 1_000, signal })
    .catch((error: unknown) => {
      throw error instanceof McpError ? new ActionError(error.message) : error;
    });
  const output = modelOutput(result.content, maskOf(headers));
  if (result.isError) throw new ActionError('The tool failed.', output);
  return output;
}

const cleaned = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_');

/** The names that the model calls, by the names of the server. They do not depend on the order of the tools. */
function namesOf(tools: readonly McpTool[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(cleaned(name), (counts.get(cleaned(name)) ?? 0) + 1);
  const named = (name: string) => {
    const isUnique = cleaned(name) === name || counts.get(cleaned(name)) === 1;
    return isUnique ? cleaned(name) : `${cleaned(name)}_${suffixOf(name)}`;
  };
  return new Map(tools.map(({ name }) => [name, named(name)]));
}

/** Tells names apart that are the same without their special characters. */
function suffixOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 6);
}

function isAllowed({ tools }: McpServerConfig, name: string): boolean {
  return tools === undefined || tools.includes(name);
}

async function offeredOf(
  server: McpServerConfig,
  tools: readonly McpTool[],
  names: ReadonlyMap<string, string>,
): Promise<OfferedAction[]> {
  const offered: OfferedAction[] = [];
  for (const [index, tool] of tools.entries()) {
    // Checking a schema takes milliseconds: let other requests run in between.
    if (index > 0) await nextTurn();
    const action = offeredTool(server, tool, names.get(tool.name) ?? '');
    if (action) offered.push(action);
  }
  return offered;
}

/** Returns undefined if providers would reject the name, or if the schema exceeds the limits. */
function offeredTool(server: McpServerConfig, tool: McpTool, called: string): OfferedAction | undefined {
  const name = `${mcpPrefix(server.name)}${called}`;
  const { inputSchema } = tool;
  if (!TOOL_NAME_PATTERN.test(name) || schemaProblem(inputSchema)) return undefined;
  const description = tool.description.slice(0, LIMITS.toolDescriptionLength);
  return { kind: 'action', name, description, inputSchema, source: { server: server.name, tool: tool.name } };
}
