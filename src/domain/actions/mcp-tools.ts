import { Pace } from '../../bounds/pace.ts';
import { LIMITS } from '../../contract/limits.ts';
import { storableText, storableValue } from '../../contract/storable-text.ts';
import type { Context } from '../context.ts';
import type { McpServerConfig } from '../workflows/config.ts';
import { mcpPrefix } from '../workflows/server-tool-names.ts';
import { ActionError } from './action-error.ts';
import { headersOf } from './http-request.ts';
import { requireIntegration } from './integration.ts';
import { listMcpTools, recordingErrors } from './list-mcp-tools.ts';
import { mcpOutput } from './mcp-output.ts';
import { McpError, type McpTool } from './mcp-port.ts';
import { modelNames } from './mcp-tool-names.ts';
import { mcpToolProblem } from './mcp-tool-problem.ts';
import type { OfferedAction } from './offered-action.ts';
import { modelOutput } from './output.ts';
import { maskOf } from './secrets.ts';
import { atServer } from './sign-in/at-server.ts';

/**
 * Lists the tools of a server for the model. If the server fails or is not connected in this environment, the list is
 * empty, and the turn continues without them.
 */
export async function offeredMcpTools(ctx: Context, server: McpServerConfig): Promise<OfferedAction[]> {
  const facts = { request_id: ctx.request.id, integration: server.integration };
  try {
    const integration = await requireIntegration(ctx, 'mcp', server.integration);
    const { tools, leftOut } = await listMcpTools(ctx, integration);
    const allowed = tools
      .filter(({ name }) => isAllowed(server, name))
      .slice(0, LIMITS.mcpTools)
      .map((tool) => ({ ...tool, isReadOnly: integration.trustsHints && tool.isReadOnly }));
    const names = modelNames(
      mcpPrefix(server.name),
      tools.map(({ name }) => name),
    );
    const offered = await offeredOf(server, allowed, names);
    const leftOutCount = leftOut.length + allowed.length - offered.length;
    if (leftOutCount > 0)
      ctx.services.process.log.warn({ ...facts, left_out: leftOutCount }, 'tools of an MCP server cannot be offered');
    return offered;
  } catch (error) {
    const isExpected = error instanceof ActionError || error instanceof McpError;
    const fault = isExpected ? { fault: error.message } : { err: error };
    ctx.services.process.log.warn({ ...facts, ...fault }, 'the tools of an MCP server are not offered');
    return [];
  }
}

/** Calls a tool of a server once. @throws {ActionError} or the reason of the signal */
export async function runMcpTool(
  ctx: Context,
  server: McpServerConfig,
  {
    conversationId,
    ...call
  }: {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly conversationId: string | undefined;
  },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isAllowed(server, call.tool)) throw new ActionError('This tool is no longer available.');
  const integration = await requireIntegration(ctx, 'mcp', server.integration);
  const { id, url } = integration;
  const bounds = { timeoutMs: server.timeoutSeconds * 1_000, signal };
  const { tracing } = ctx.services.process;
  const input = { ...call, ...bounds, headers: tracing?.headers(), onProgress: tracing?.progress };
  let mask = maskOf([]);
  const request = atServer(ctx, integration, {
    name: `tools/call ${call.tool}`,
    bounds,
    send: (headers, timeoutMs) => {
      mask = maskOf(headers);
      return ctx.services.ports.mcp.callTool({ url, headers: headersOf(headers) }, { ...input, timeoutMs });
    },
  });
  const result = await recordingErrors(ctx, id, request).catch((error: unknown) => {
    if (!(error instanceof McpError)) throw error;
    const { message, serverText } = error;
    throw new ActionError(message, serverText === undefined ? {} : modelOutput(serverText, mask));
  });
  const output = await mcpOutput(ctx, result, { conversationId, mask, signal });
  if (result.isError) throw new ActionError('The tool failed.', output);
  return output;
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
  // Checking a schema takes milliseconds.
  const pace = new Pace();
  for (const tool of tools) {
    await pace.pause();
    const action = offeredTool(server, tool, names.get(tool.name) ?? '');
    if (action) offered.push(action);
  }
  return offered;
}

/** Undefined if the tool cannot be offered. */
function offeredTool(server: McpServerConfig, tool: McpTool, name: string): OfferedAction | undefined {
  if (mcpToolProblem(tool) !== undefined) return undefined;
  // The cut can leave half of a character.
  const description = storableText(tool.description.slice(0, LIMITS.toolDescriptionLength));
  // The form of a schema stays.
  const inputSchema = storableValue(tool.inputSchema) as McpTool['inputSchema'];
  const source = { server: server.name, tool: tool.name };
  return { kind: 'action', name, description, inputSchema, source, ...(tool.isReadOnly && { isReadOnly: true }) };
}
