import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  fromJsonSchema,
  type McpRequestContext,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { TASKS_EXTENSION } from '../../../src/transports/mcp/capabilities.ts';
import { registerInputTools, stateCodec, text } from './input-tools.ts';
import { registerTaskTools } from './task-tools.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

function resource(uri: string, mimeType: string, words: string) {
  return { type: 'resource', resource: { uri, mimeType, text: words } } as const;
}

async function withLog({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const step of ['started', 'processing', 'completed']) {
    await mcpReq.log('info', `Tool execution ${step}`);
    await sleep(50);
  }
  return text('Logged');
}

async function withProgress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken === undefined) break;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await sleep(50);
  }
  return text('Progressed');
}

const TOOLS: Readonly<Record<string, (context: ServerContext) => CallToolResult | Promise<CallToolResult>>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({ content: [resource('test://embedded-resource', 'text/plain', 'Embedded.')] }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data"}'),
    ],
  }),
  test_tool_with_logging: withLog,
  test_logging_tool: withLog,
  test_tool_with_progress: withProgress,
  test_streaming_elicitation: withProgress,
  test_error_handling: () => ({ ...text('This tool returns an error.'), isError: true }),
};

/** A schema with the keywords of JSON Schema 2020-12 that a server must keep. */
const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

const WITH_HEADER = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, query: { type: 'string' } },
  required: ['region', 'query'],
} as const;

/** A server with the tools that the conformance suite calls. The suite gives their names and results. */
export function fixtureServer({ era }: McpRequestContext): McpServer {
  const extensions = era === 'modern' ? { [TASKS_EXTENSION]: {} } : {};
  const server = new McpServer(
    { name: 'parley-conformance', version: '1.0.0' },
    { capabilities: { logging: {}, tools: {}, prompts: {}, extensions }, requestState: { verify: stateCodec.verify } },
  );
  for (const [name, call] of Object.entries(TOOLS)) {
    server.registerTool(name, { description: 'A tool of the conformance suite.' }, call);
  }
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes a schema.', inputSchema: fromJsonSchema(SCHEMA_2020) },
    () => text('Valid'),
  );
  server.registerTool(
    'test_custom_headers',
    { description: 'Takes a schema.', inputSchema: fromJsonSchema(WITH_HEADER) },
    () => text('Received'),
  );
  registerInputTools(server);
  if (era === 'modern') registerTaskTools(server);
  return server;
}
