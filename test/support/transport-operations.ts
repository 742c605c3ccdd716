import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Router } from 'express';
import { internalSchema, publicSchema } from '../../src/graphql/schema/schema.ts';
import type { Pipeline } from '../../src/operation/pipeline.ts';
import { PublishedCompiler } from '../../src/rest/published/compiler.ts';
import { publishedRouter } from '../../src/rest/published/router.ts';
import { loadAllRoutes, restRoutes } from '../../src/rest/router.ts';
import { mcpRouter, turnRoutes } from '../../src/transports/mcp/router.ts';
import { schemaTools } from '../../src/transports/mcp/schema-tools.ts';
import { toolsOf } from '../../src/transports/mcp/tool.ts';
import { turnTools } from '../../src/transports/mcp/turn-tools.ts';
import { uiRouter } from '../../src/transports/ui/router.ts';
import type { Operation, SendOperation } from './all-operations.ts';
import type { HttpResponse } from './client.ts';
import { ROOT } from './database.ts';
import type { Fixtures } from './fixtures.ts';
import { userMessage } from './ui-chat.ts';

/** The scopes of a path, and its request. */
type PathRow = Pick<Operation, 'scope' | 'alsoNeeds' | 'send'>;

const READ = 'conversations:read';

/** A status without a body is a response without data. */
const withoutBody = (response: HttpResponse): HttpResponse =>
  response.status === 204 ? { ...response, status: 200, body: [] } : response;

/** Errors as objects, instead of sentences. */
const JSON_ERRORS = { headers: { accept: 'application/json' } };

const UI: Readonly<Record<string, PathRow>> = {
  'POST /v1/runner/{deployment_id}/ui': {
    scope: 'conversations:write',
    alsoNeeds: [READ],
    send: (client, key, { deploymentId, conversationId: id }) => {
      const body = { id, messages: [userMessage('More')], trigger: 'submit-message' };
      return client.send('POST', `/v1/runner/${deploymentId}/ui`, { ...JSON_ERRORS, key, body });
    },
  },
  'GET /v1/runner/{deployment_id}/ui/{chat_id}': {
    scope: READ,
    send: (client, key, { deploymentId, conversationId }) =>
      client.send('GET', `/v1/runner/${deploymentId}/ui/${conversationId}`, { ...JSON_ERRORS, key }),
  },
  'GET /v1/runner/{deployment_id}/ui/{chat_id}/stream': {
    scope: READ,
    send: async (client, key, { deploymentId, waiting }) =>
      withoutBody(
        await client.send('GET', `/v1/runner/${deploymentId}/ui/${waiting.conversationId}/stream`, {
          ...JSON_ERRORS,
          key,
        }),
      ),
  },
  'POST /v1/runner/{deployment_id}/ui/{chat_id}/stop': {
    scope: 'conversations:write',
    alsoNeeds: [READ],
    send: (client, key, { deploymentId, waiting }) =>
      client.send('POST', `/v1/runner/${deploymentId}/ui/${waiting.conversationId}/stop`, { ...JSON_ERRORS, key }),
  },
};

const ofFile = (name: string): PathRow => ({
  scope: 'documents:read',
  send: (client, key) => client.send('GET', `/v1/x/${name}`, { key }),
});

/** A call of a published document, whose scopes are those of its root fields, and the files about all of them. */
const PUBLISHED: Readonly<Record<string, PathRow>> = {
  'GET /v1/x/{name}': {
    scope: 'resources:read',
    send: (client, key, { document }) => client.send('GET', `/v1/x/${document.names.read}`, { key }),
  },
  'POST /v1/x/{name}': {
    scope: 'resources:write',
    send: (client, key, { document }) => {
      const body = { input: { type: 'own', fields: {} } };
      return client.send('POST', `/v1/x/${document.names.write}`, { key, body });
    },
  },
  'GET /v1/x/openapi.json': ofFile('openapi.json'),
  'GET /v1/x/documents.d.ts': ofFile('documents.d.ts'),
  'GET /v1/x/documents.zod.ts': ofFile('documents.zod.ts'),
};

/** Paths with other requests than their own: a document decides about its method. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  // Only end users can use it, so no key and no role gets a result. `spec/end-user-apps.test.ts` tests who can.
  'POST /mcp{/test}/deployments/{deployment_id}': [],
  'ALL /v1/x/*path': ['GET /v1/x/{name}', 'POST /v1/x/{name}'],
};

/** The arguments of each tool of the MCP server. */
const TOOLS: Readonly<Record<string, (fixtures: Fixtures) => object>> = {
  list_deployments: ({ workflow }) => ({ workflow_id: workflow.workflowId }),
  ask_deployment: ({ deploymentId, conversationId }) => ({
    ...{ deployment_id: deploymentId, conversation_id: conversationId },
    content: [{ type: 'text', text: 'More' }],
  }),
  search_conversations: () => ({ limit: 100 }),
  read_conversation: ({ conversationId }) => ({ conversation_id: conversationId }),
  list_resources: () => ({ limit: 100, type: 'planted' }),
  read_resource: ({ resource }) => ({ id: resource.resourceId }),
  create_resource: () => ({ type: 'own', fields: {} }),
  update_resource: ({ resource }) => ({ id: resource.resourceId, fields: { more: 1 } }),
  resume_conversation: ({ deploymentId, waiting }) => ({
    ...{ deployment_id: deploymentId, conversation_id: waiting.conversationId },
    tool_results: [{ call_id: waiting.callId, output: { answers: [] } }],
  }),
  search_schema: () => ({ words: 'resource' }),
  read_type: () => ({ name: 'Resource' }),
  check_document: () => ({ document: READ_RESOURCE }),
  run_query: ({ resource }) => ({ query: READ_RESOURCE, variables: { id: resource.resourceId } }),
};

const READ_RESOURCE = 'query ($id: ID!) { resource(id: $id) { resourceId fields } }';

/** What a tool needs for its arguments here. */
const ALSO_NEEDS: Readonly<Record<string, Operation['alsoNeeds']>> = { run_query: ['resources:read'] };

const callTool =
  (name: string, args: (fixtures: Fixtures) => object): SendOperation =>
  async (client, key, fixtures) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args(fixtures) } };
    const headers = { accept: 'application/json, text/event-stream' };
    const response = await client.send('POST', '/mcp', { key, body: message, headers });
    if (typeof response.body !== 'string') return response;
    const [, data = '{}'] = /^data: (\{.*)$/m.exec(response.body) ?? [];
    return { ...response, body: JSON.parse(JSON.parse(data).result.content[0].text) };
  };

const allRoutes = loadAllRoutes(internalSchema, ROOT);
const routes = restRoutes(allRoutes);
// Only requests use the pipeline.
const pipeline = { services: { settings: {} } } as Pipeline;
const compiler = new PublishedCompiler(publicSchema, { maxDepth: 1, maxCost: 1 });

const access = { schema: publicSchema, compiler, maxCost: 1, introspection: true, anyDocument: true };

/** The paths of each transport in its folder of `src/transports`. */
const ROUTERS: Readonly<Record<string, Router>> = {
  mcp: mcpRouter(internalSchema, routes, { pipeline, version: '', ...access }),
  ui: uiRouter(allRoutes, pipeline),
};

/** The methods and paths of a router, like `POST /mcp`. `ALL` stands for any method. */
function pathsOf(router: Router): string[] {
  return router.stack.flatMap(({ route }) => {
    const methods = new Set(route?.stack.map(({ method }) => method).filter(Boolean));
    const path = route?.path.replaceAll(/:(\w+)/g, '{$1}');
    const names = [...(methods.size > 0 ? methods : ['all'])].map((method) => `${method.toUpperCase()} ${path}`);
    return names.flatMap((name) => METHODS[name] ?? [name]);
  });
}

function operationsAt(name: string): Operation[] {
  const base = { members: undefined, credentials: false };
  if (name !== 'POST /mcp') {
    const { scope, alsoNeeds, send } = UI[name] ?? PUBLISHED[name] ?? {};
    return [{ ...base, name, scope, alsoNeeds, send, reads: name.startsWith('GET') }];
  }
  const ofTurns = turnTools(internalSchema, turnRoutes(routes));
  const ofDocuments = [...ofTurns.values(), ...toolsOf(internalSchema, routes).values()].map(
    ({ name: tool, route, annotations }) => ({
      ...{ tool, scope: route.access.scope, reads: annotations.isReadOnly },
    }),
  );
  const others = schemaTools(access).map(({ name: tool, annotations }) => ({
    ...{ tool, scope: 'documents:read' as const, alsoNeeds: ALSO_NEEDS[tool], reads: annotations.isReadOnly },
  }));
  return [...ofDocuments, ...others].map(({ tool, ...facts }) => {
    const args = TOOLS[tool];
    const send = args && callTool(tool, args);
    return { ...base, ...facts, name: `${name} ${tool}`, send };
  });
}

/**
 * Every path of the further transports and of published documents, and every tool. A folder without a router here is an
 * operation without a row.
 */
export const ALL_TRANSPORT_PATHS: readonly Operation[] = [
  ...readdirSync(join(ROOT, 'src/transports')).flatMap((folder) => {
    const router = ROUTERS[folder];
    return router ? pathsOf(router) : [`src/transports/${folder}`];
  }),
  ...pathsOf(publishedRouter(pipeline, compiler, '')),
].flatMap(operationsAt);
