import type { Context } from '../context.ts';
import { recordIntegrationError } from '../integrations/record-error.ts';
import type { ConnectedIntegration } from '../integrations/use.ts';
import { headersOf } from './http-request.ts';
import { McpError, type McpToolList } from './mcp-port.ts';
import { atServer } from './sign-in/at-server.ts';

/** How long a list can wait for a token: every turn waits for it. */
const LIST_WAIT_MS = 5_000;

/** Lists the tools of an MCP server, and records a failure. @throws {McpError} */
export function listMcpTools(ctx: Context, integration: ConnectedIntegration): Promise<McpToolList> {
  const { id, url } = integration;
  const { mcp } = ctx.services.ports;
  const list = atServer(ctx, integration, {
    name: 'tools/list',
    bounds: { timeoutMs: LIST_WAIT_MS },
    send: (headers) => mcp.listTools({ url, headers: headersOf(headers) }),
  });
  return recordingErrors(ctx, id, list);
}

/** Records a failed request to the server of an integration. */
export function recordingErrors<T>(ctx: Context, integrationId: string, request: Promise<T>): Promise<T> {
  return request.catch(async (error: unknown) => {
    if (error instanceof McpError) await recordIntegrationError(ctx, integrationId, error.message);
    throw error;
  });
}
