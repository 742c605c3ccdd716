import { LIMITS } from '../../contract/limits.ts';
import type { McpCall, McpPort, McpResult, McpServer, McpTool } from '../../domain/actions/mcp-port.ts';
import type { GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { isHeaderMismatch, mcpErrorOf } from './failure.ts';
import { resultOf } from './result.ts';
import { McpSessions } from './session.ts';
import { ToolLists } from './tool-lists.ts';
import { readTools } from './tools.ts';

/** Short, because every turn waits for it. */
const LIST_MS = 5_000;

function limited(onProgress: NonNullable<McpCall['onProgress']>) {
  let reports = 0;
  return ({ progress, total }: { readonly progress: number; readonly total?: number | undefined }) => {
    reports += 1;
    if (reports <= LIMITS.mcpProgressReports) onProgress({ progress, total });
  };
}

/** MCP over streamable HTTP. */
export function createMcp(fetcher: GuardedFetcher): McpPort {
  const sessions = new McpSessions(fetcher);
  const lists = new ToolLists((server) =>
    sessions
      .run(server, { timeoutMs: LIST_MS, maxBytes: LIMITS.actionAnswerBytes }, readTools)
      .catch((fault: unknown) => {
        throw mcpErrorOf(fault);
      }),
  );
  const call = (
    server: McpServer,
    { signal, timeoutMs, headers, onProgress, ...input }: McpCall,
    definition: McpTool | undefined,
    progress: { hasBegun: boolean },
  ) =>
    sessions
      .run(
        server,
        { timeoutMs, signal, headers, maxBytes: LIMITS.mcpResultBytes },
        async ({ client, transport, options }) => {
          client.setNotificationHandler('notifications/tools/list_changed', () => lists.forget(server));
          const params = { name: input.tool, arguments: { ...input.arguments } };
          const toolDefinition = definition && { name: definition.name, inputSchema: definition.inputSchema };
          const result = transport.rawResult(() =>
            client.callTool(params, {
              ...options,
              ...(onProgress && { onprogress: limited(onProgress) }),
              // The client reads from its schema which arguments belong into headers.
              ...(toolDefinition && { toolDefinition: toolDefinition as never }),
            }),
          );
          return resultOf(
            await result.finally(() => {
              progress.hasBegun = transport.hasBegun;
            }),
          );
        },
      )
      .catch((fault: unknown) => {
        signal.throwIfAborted();
        throw mcpErrorOf(fault);
      });
  return {
    listTools: (server) => lists.of(server),
    async callTool(server, input): Promise<McpResult> {
      const definition = lists.known(server, input.tool);
      const progress = { hasBegun: false };
      return call(server, input, definition, progress).catch(async (error: unknown) => {
        if (progress.hasBegun || !isHeaderMismatch(error)) throw error;
        lists.forget(server);
        const { tools } = await lists.of(server);
        return call(
          server,
          input,
          tools.find(({ name }) => name === input.tool),
          progress,
        );
      });
    },
  };
}
