import { LIMITS } from '../../contract/limits.ts';
import { TOOL_NAME_PATTERN } from '../../contract/tool-names.ts';
import type { Context } from '../context.ts';
import { runnableSchema, schemaProblem } from '../json-schema.ts';
import type { McpServerConfig } from '../workflows/config.ts';
import { mcpPrefix } from '../workflows/server-tool-names.ts';
import { ActionFailure } from './failure.ts';
import { headersOf } from './http-request.ts';
import { requireIntegration } from './integration.ts';
import { McpFault, type McpTool } from './mcp-port.ts';
import type { OfferedAction } from './offered.ts';
import { toldOf } from './output.ts';
import { maskOf } from './secrets.ts';

/**
 * Tools of a server as the model is told of them. A server that does not answer, or is not connected in this
 * environment, has none: the turn goes on without them.
 */
export async function offeredMcpTools(ctx: Context, server: McpServerConfig): Promise<OfferedAction[]> {
  const facts = { request_id: ctx.request.id, integration: server.integration };
  try {
    const { url, headers } = await requireIntegration(ctx, 'mcp', server.integration);
    const listed = await ctx.services.mcp.listTools({ url, headers: headersOf(headers) });
    const wanted = listed.filter(({ name }) => isWanted(server, name)).slice(0, LIMITS.mcpTools);
    const offered = wanted.flatMap((tool) => offeredTool(server, tool) ?? []);
    const own = offered.filter(({ name }, index) => offered.findIndex((tool) => tool.name === name) === index);
    const leftOut = wanted.length - own.length;
    if (leftOut > 0) ctx.services.log.warn({ ...facts, left_out: leftOut }, 'tools of an MCP server cannot be offered');
    return own;
  } catch (error) {
    const known = error instanceof ActionFailure || error instanceof McpFault;
    const fault = known ? { fault: error.message } : { err: error };
    ctx.services.log.warn({ ...facts, ...fault }, 'the tools of an MCP server are not offered');
    return [];
  }
}

/** Calls a tool of a server once. @throws {ActionFailure} or the reason of the signal */
export async function runMcpTool(
  ctx: Context,
  server: McpServerConfig,
  call: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isWanted(server, call.tool)) throw new ActionFailure('This tool is no longer offered.');
  const { url, headers } = await requireIntegration(ctx, 'mcp', server.integration);
  const reached = { url, headers: headersOf(headers) };
  const answer = await ctx.services.mcp
    .callTool(reached, { ...call, timeoutMs: server.timeoutSeconds * 1_000, signal })
    .catch((error: unknown) => {
      throw error instanceof McpFault ? new ActionFailure(error.message) : error;
    });
  const told = toldOf(answer.content, maskOf(headers));
  if (answer.isError) throw new ActionFailure('The tool failed.', told);
  return told;
}

function isWanted({ tools }: McpServerConfig, name: string): boolean {
  return tools === undefined || tools.includes(name);
}

/** Undefined where a provider would not take its name, or this service does not run its schema. */
function offeredTool(server: McpServerConfig, tool: McpTool): OfferedAction | undefined {
  const name = `${mcpPrefix(server.name)}${tool.name.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  const inputSchema = runnableSchema(tool.inputSchema);
  if (!TOOL_NAME_PATTERN.test(name) || schemaProblem(inputSchema)) return undefined;
  const description = tool.description.slice(0, LIMITS.toolDescriptionLength);
  return { kind: 'action', name, description, inputSchema, source: { server: server.name, tool: tool.name } };
}
