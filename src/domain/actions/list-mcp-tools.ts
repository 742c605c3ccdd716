import type { Context } from '../context.ts';
import { recordIntegrationError } from '../integrations/record-error.ts';
import type { ConnectedIntegration } from '../integrations/use.ts';
import { headersOf } from './http-request.ts';
import { McpError, type McpToolList } from './mcp-port.ts';

/** Lists the tools of an MCP server, and records a failure. @throws {McpError} */
export function listMcpTools(ctx: Context, { id, url, headers }: ConnectedIntegration): Promise<McpToolList> {
  return recordingErrors(ctx, id, ctx.services.ports.mcp.listTools({ url, headers: headersOf(headers) }));
}

/** Records a failed request to the server of an integration. */
export function recordingErrors<T>(ctx: Context, integrationId: string, request: Promise<T>): Promise<T> {
  return request.catch(async (error: unknown) => {
    if (error instanceof McpError) await recordIntegrationError(ctx, integrationId, error.message);
    throw error;
  });
}
