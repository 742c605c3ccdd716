import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  type Tool as ListedTool,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { callTool } from './call.ts';
import { cancellationOf, stopTurn } from './cancellation.ts';
import type { McpParts } from './parts.ts';
import { progressReporter } from './progress.ts';
import { publishedPage, publishedTool } from './published-tools.ts';
import { isUsable, type Tool } from './tool.ts';

const INSTRUCTIONS = [
  'Parley runs conversations with agents. list_deployments lists the deployments of agents. ask_deployment sends a message to a deployment and returns its reply; send its',
  'conversation_id to continue. search_conversations and read_conversation find and read conversations. Resources are the',
  'records that the agents work with. An error names the argument that is wrong.',
].join(' ');

/** An MCP server for one request. The pipeline and the database have all state, so any process can take any request. */
export function createServer(parts: McpParts, opened: OpenRequest, session: string | undefined): Server {
  const { pipeline, tools, version } = parts;
  const server = new Server(
    { name: 'parley', title: 'Parley', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    const own = [...tools.values()].filter(({ route }) => isUsable(route, opened));
    const { tools: published, nextCursor } = await publishedPage(parts, opened, params?.cursor);
    const page = params?.cursor === undefined ? [...own, ...published] : published;
    return { tools: page.map(listed), ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestId, sendNotification }) => {
    const published = tools.has(params.name) ? undefined : await publishedTool(parts, opened, params.name);
    const tool = tools.get(params.name) ?? published?.tool;
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}. List the tools.`);
    const { cancelled, release } = cancellationOf(parts, { opened, session }, requestId);
    const progress = progressReporter(params._meta?.progressToken, sendNotification);
    try {
      return await callTool(tool, params.arguments ?? {}, {
        ...{ pipeline, opened, cancelled, documentId: published?.documentId },
        disconnected: signal,
        stop: (conversationId) => stopTurn(parts, opened, conversationId),
        progress: progress.report,
      });
    } finally {
      release();
      await progress.end();
    }
  });
  return server;
}

function listed({ name, title, description, inputSchema, outputSchema, annotations }: Tool): ListedTool {
  const { isReadOnly, isDestructive, isIdempotent, isOpenWorld } = annotations;
  return {
    name,
    title,
    description,
    // The types of the SDK have mutable arrays.
    inputSchema: inputSchema as unknown as ListedTool['inputSchema'],
    outputSchema: outputSchema as unknown as ListedTool['outputSchema'],
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: isDestructive,
      idempotentHint: isIdempotent,
      openWorldHint: isOpenWorld,
    },
  };
}
