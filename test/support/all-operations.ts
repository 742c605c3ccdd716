import type { GraphQLInterfaceType } from 'graphql';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import type { Access } from '../../src/operation/access.ts';
import { loadRoutes } from '../../src/rest/router.ts';
import { ACCESS_FIELDS, ACCESS_ROUTES } from './access-operations.ts';
import type { Client, HttpResponse } from './client.ts';
import { RIGHTS_FIELDS, RIGHTS_ROUTES } from './data-rights-operations.ts';
import { ROOT } from './database.ts';
import { ALSO_NEEDS, DECLARED, declaredAccess } from './declared.ts';
import { DOCUMENT_FIELDS } from './document-operations.ts';
import { END_USER_ROUTES } from './end-users.ts';
import { FILE_FIELDS, FILE_ROUTES } from './file-operations.ts';
import type { Fixtures } from './fixtures.ts';
import { graphText } from './graph-content.ts';
import { ITEM_TYPES, SESSION_NODES } from './graph-operations.ts';
import { MEMBER, MEMBER_FIELDS } from './member-operations.ts';
import { RESOURCE_FIELDS, RESOURCE_ROUTES } from './resource-operations.ts';
import { mutationOf, publicIdOf } from './results.ts';
import { graphql, subscription } from './send-graphql.ts';
import { FEED_FIELDS } from './subscription-operations.ts';
import { TRIGGER, TRIGGER_DELETION, TRIGGER_DELETION_ROUTE, TRIGGER_READS } from './trigger-operations.ts';
import { USAGE_FIELDS, USAGE_ROUTES } from './usage-operations.ts';
import { DELIVERY, ENDPOINT, HOOK_FIELDS, INTEGRATION } from './webhook-operations.ts';
import { DEPLOYMENT_ROUTES, WORKFLOW_FIELDS } from './workflow-operations.ts';

/** Sends an operation for the fixtures with a key. */
export type SendOperation = (client: Client, key: string | null, fixtures: Fixtures) => Promise<HttpResponse>;

export interface Operation {
  readonly name: string;
  /** The scope that the text of the schema declares, or the route. */
  readonly scope: string | undefined;
  /** Set if it requires several scopes. Other tests cover what each scope is for. */
  readonly scopes?: readonly string[] | undefined;
  /** Further scopes, each of which a key needs. */
  readonly alsoNeeds?: readonly string[] | undefined;
  /** Whether members of every role need these scopes. */
  readonly anyRole?: boolean;
  /** Whether it requires a signed-in member, or a member who administers the workspace. */
  readonly members: 'session' | 'administrator' | undefined;
  /** Whether any valid credential is enough. */
  readonly credentials: boolean;
  /** Undefined if the table below has no row for it. */
  readonly send: SendOperation | undefined;
  readonly reads: boolean;
}

const TURN = { content: [{ type: 'text', text: 'More' }] };
const GRAPH_TURN = { content: graphText('More') };
const CONVERSATION =
  '{ name variables { name value } meta messages { nodes { content { ... on TextPart { text } } } } }';
const TURNED = '{ turn { ... on FinishedTurn { name content conversation { name } } ... on PausedTurn { name } } }';

function turn(field: string, selection: string, fields: (fixtures: Fixtures) => object): SendOperation {
  return graphql(mutationOf(field, selection), (fixtures) => ({
    input: { deploymentId: fixtures.deploymentId, ...fields(fixtures) },
  }));
}

/** The requests of a node type by the global ID of its fixture. */
function nodeRows(
  type: string,
  selection: string,
  idOf: (fixtures: Fixtures) => string,
): Record<string, SendOperation> {
  const fields = `{ id ... on ${type} ${selection} }`;
  return {
    [`Query.node of ${type}`]: graphql(`query ($id: ID!) { node(id: $id) ${fields} }`, (fixtures) => ({
      id: idOf(fixtures),
    })),
    [`Query._entities of ${type}`]: graphql(
      `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ... on ${type} ${selection} } }`,
      (fixtures) => ({ representations: [{ __typename: type, id: idOf(fixtures) }] }),
    ),
    [`Query.nodes of ${type}`]: graphql(`query ($ids: [ID!]!) { nodes(ids: $ids) ${fields} }`, (fixtures) => ({
      ids: [idOf(fixtures)],
    })),
  };
}

/** The request of each root field for the fixtures. Every root field of the schema has a row. */
const FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.conversation': graphql(`query ($id: ID!) { conversation(id: $id) ${CONVERSATION} }`, ({ conversationId }) => ({
    id: conversationId,
  })),
  'Query.conversations': graphql(`{ conversations(first: 100) { nodes ${CONVERSATION} totalCount } }`, () => ({})),
  'Query.pendingActions': graphql('{ pendingActions(first: 100) { nodes { name arguments } totalCount } }', () => ({})),
  ...nodeRows('Conversation', CONVERSATION, ({ nodeId }) => nodeId),
  ...nodeRows('Resource', '{ fields }', ({ resource }) => resource.nodes.resource),
  ...nodeRows('Event', '{ payload { json } }', ({ resource }) => resource.nodes.event),
  ...nodeRows('Trigger', '{ variables { name value } }', ({ trigger }) => trigger.nodeId),
  ...nodeRows('ApiKey', '{ name }', ({ key }) => key.nodeId),
  ...RESOURCE_FIELDS,
  ...nodeRows('Document', '{ current { text } }', ({ document }) => document.nodes.document),
  ...nodeRows('DocumentVersion', '{ text }', ({ document }) => document.nodes.version),
  ...DOCUMENT_FIELDS,
  ...FEED_FIELDS,
  ...nodeRows('Workflow', '{ name }', ({ workflow }) => workflow.nodes.workflow),
  ...nodeRows('Deployment', '{ name }', ({ workflow }) => workflow.nodes.deployment),
  ...ACCESS_FIELDS,
  ...nodeRows('Member', MEMBER, ({ member }) => member.nodeId),
  ...MEMBER_FIELDS,
  ...nodeRows('WorkflowLog', '{ conversationId }', ({ log }) => log.nodeId),
  ...USAGE_FIELDS,
  ...RIGHTS_FIELDS,
  ...FILE_FIELDS,
  ...nodeRows('File', '{ name }', ({ file }) => file.nodeId),
  'Query.run': graphql(
    'query ($id: ID!) { run(id: $id) { runId conversation { conversationId name } } }',
    ({ graph }) => ({ id: publicIdOf(graph.run) }),
  ),
  ...nodeRows('Run', '{ conversation { conversationId } }', ({ graph }) => graph.run),
  ...nodeRows('WorkflowVersion', '{ workflow { name } }', ({ graph }) => graph.version),
  ...nodeRows('User', '{ name }', ({ graph }) => graph.user),
  ...nodeRows('Workspace', '{ name }', ({ graph }) => graph.workspace),
  ...nodeRows('Environment', '{ kind }', ({ graph }) => graph.environment),
  ...nodeRows('ModelPrice', '{ model }', ({ graph }) => graph.price),
  ...nodeRows('Budget', '{ endUser }', ({ graph }) => graph.budget),
  ...nodeRows('ConversationNote', '{ text }', ({ graph }) => graph.note),
  ...nodeRows('Invitation', '{ email }', ({ graph }) => graph.invitation),
  ...nodeRows('AuditEntry', '{ subjectId }', ({ graph }) => graph.auditEntry),
  ...nodeRows('WebhookReplay', '{ endpoint { description } }', ({ graph }) => graph.replay),
  ...nodeRows('WebhookAttempt', '{ error }', ({ graph }) => graph.attempt),
  ...Object.assign(
    {},
    ...ITEM_TYPES.map((type) => nodeRows(type, '{ conversation { name } }', ({ graph }) => graph.items[type])),
  ),
  ...nodeRows('ConversationFile', '{ mimeType conversation { name } }', ({ graph }) => graph.file),
  ...SESSION_NODES,
  ...nodeRows('Integration', INTEGRATION, ({ hooks }) => hooks.nodes.integration),
  ...nodeRows('WebhookEndpoint', ENDPOINT, ({ hooks }) => hooks.nodes.endpoint),
  ...nodeRows('WebhookDelivery', DELIVERY, ({ hooks }) => hooks.nodes.delivery),
  ...HOOK_FIELDS,
  ...WORKFLOW_FIELDS,
  ...TRIGGER_READS,
  'Query.widgetMeta': graphql(
    'query ($deploymentId: ID!) { widgetMeta(deploymentId: $deploymentId) { name } }',
    ({ deploymentId }) => ({ deploymentId }),
  ),
  'Mutation.createTrigger': turn('createTrigger', `{ trigger ${TRIGGER} }`, () => GRAPH_TURN),
  ...TRIGGER_DELETION,
  'Mutation.runOnce': turn('runOnce', '{ run { content } }', ({ trigger }) => ({ triggerId: trigger.id })),
  'Subscription.oneShotStream': subscription(
    `subscription ($input: RunOnceInput!) {
      oneShotStream(input: $input) { event ... on OneShotDone { run { content } } } }`,
    ({ deploymentId, trigger }) => ({ input: { deploymentId, triggerId: trigger.id } }),
  ),
  'Subscription.draftTurn': subscription(
    `subscription ($input: DraftTurnInput!) {
      draftTurn(input: $input) { ... on DraftTurnDone { content } } }`,
    ({ workflow: { workflowId } }) => ({ input: { workflowId, turns: [{ content: graphText('/instructions') }] } }),
  ),
  'Mutation.sendMessage': turn('sendMessage', '{ turn { name content conversation { name } } }', (fixtures) => ({
    ...GRAPH_TURN,
    conversationId: fixtures.conversationId,
  })),
  'Mutation.runAgentTurn': turn('runAgentTurn', TURNED, (fixtures) => ({
    ...GRAPH_TURN,
    conversationId: fixtures.conversationId,
  })),
  'Mutation.resumeAgentTurn': turn('resumeAgentTurn', TURNED, ({ waiting }) => ({
    conversationId: waiting.conversationId,
    toolResults: [{ callId: waiting.callId, output: { answers: [] } }],
  })),
  'Subscription.replyStream': subscription(
    `subscription ($input: SendMessageInput!) {
      replyStream(input: $input) { event ... on ReplyDone { turn { name } } } }`,
    ({ deploymentId, conversationId }) => ({ input: { deploymentId, ...GRAPH_TURN, conversationId } }),
  ),
};

const runOnce =
  (path: (fixtures: Fixtures) => string): SendOperation =>
  (client, key, fixtures) =>
    client.send('POST', path(fixtures), { body: { trigger_id: fixtures.trigger.id }, key });

const get =
  (path: (fixtures: Fixtures) => string): SendOperation =>
  (client, key, fixtures) =>
    client.send('GET', path(fixtures), { key });

const stream: SendOperation = (client, key, { deploymentId, conversationId }) => {
  const body = { ...TURN, conversation_id: conversationId };
  return client.send('POST', `/v1/runner/${deploymentId}/conversation/stream`, { body, key });
};

const post =
  (version: 'v1' | 'v2'): SendOperation =>
  (client, key, { deploymentId, conversationId }) => {
    const body = { ...TURN, conversation_id: conversationId };
    return client.send('POST', `/${version}/runner/${deploymentId}/conversation`, { body, key });
  };

/** The request of each REST route. */
const ROUTES: Readonly<Record<string, SendOperation>> = {
  'POST /v1/runner/{deployment_id}/conversation': post('v1'),
  'POST /v2/runner/{deployment_id}/conversation': post('v2'),
  'POST /v1/runner/{deployment_id}/conversation/stream': stream,
  'POST /v1/runner/{deployment_id}': runOnce(({ deploymentId }) => `/v1/runner/${deploymentId}`),
  'POST /v2/runner/{deployment_id}': runOnce(({ deploymentId }) => `/v2/runner/${deploymentId}`),
  'POST /v1/runner/{deployment_id}/stream': runOnce(({ deploymentId }) => `/v1/runner/${deploymentId}/stream`),
  'GET /v1/runs/{run_id}/trace': get(({ graph }) => `/v1/runs/${publicIdOf(graph.run)}/trace`),
  'POST /v1/runner/{deployment_id}/trigger': (client, key, { deploymentId }) =>
    client.send('POST', `/v1/runner/${deploymentId}/trigger`, { body: TURN, key }),
  'GET /v1/runner/{deployment_id}/trigger/{trigger_id}': get(
    ({ deploymentId, trigger }) => `/v1/runner/${deploymentId}/trigger/${trigger.id}`,
  ),
  ...TRIGGER_DELETION_ROUTE,
  ...USAGE_ROUTES,
  'GET /v1/runner/{deployment_id}/triggers': get(
    ({ deploymentId }) => `/v1/runner/${deploymentId}/triggers?page_size=100`,
  ),
  'GET /v1/runner/{deployment_id}/widget-meta': get(({ deploymentId }) => `/v1/runner/${deploymentId}/widget-meta`),
  'POST /v1/workflow/{workflow_id}/trigger-settings': (client, key, { trigger }) =>
    client.send('POST', `/v1/workflow/${trigger.workflowId}/trigger-settings`, {
      body: { trigger_required: false },
      key,
    }),
  'GET /v1/pending-actions': get(() => '/v1/pending-actions?limit=100'),
  'GET /v1/runner/conversations': get(() => '/v1/runner/conversations?page_size=100'),
  'GET /v1/runner/{deployment_id}/conversations': get(
    ({ deploymentId }) => `/v1/runner/${deploymentId}/conversations?page_size=100`,
  ),
  'GET /v1/runner/conversation/{conversation_id}/messages': get(
    ({ conversationId }) => `/v1/runner/conversation/${conversationId}/messages`,
  ),
  'GET /v2/runner/{deployment_id}/conversation/{conversation_id}/history': get(
    ({ deploymentId, conversationId }) => `/v2/runner/${deploymentId}/conversation/${conversationId}/history`,
  ),
  ...RESOURCE_ROUTES,
  ...ACCESS_ROUTES,
  ...END_USER_ROUTES,
  ...RIGHTS_ROUTES,
  ...DEPLOYMENT_ROUTES,
  ...FILE_ROUTES,
};

function membersOf({ session, administrator }: Access): Operation['members'] {
  if (administrator) return 'administrator';
  return session ? 'session' : undefined;
}

const NODE_TYPES = DECLARED.getPossibleTypes(DECLARED.getType('Node') as GraphQLInterfaceType);

/** The fields that read nodes of every type. The schema of a federation subgraph adds `_entities`. */
const NODE_FIELDS = ['node', 'nodes', '_entities'];

/**
 * Every root field of the public schema, and `_entities`. The fields that read nodes appear once for each node type, because each
 * type requires another scope.
 */
export const ALL_FIELDS: readonly Operation[] = [
  ...(['query', 'mutation', 'subscription'] as const).flatMap((operation) => {
    const root = DECLARED.getRootType(operation as never);
    const fields = Object.values(root?.getFields() ?? {}).filter(({ name }) => !NODE_FIELDS.includes(name));
    return fields.map((field): Operation => {
      const name = `${root?.name}.${field.name}`;
      const alsoNeeds = ALSO_NEEDS[name];
      return { name, ...declaredAccess(field), alsoNeeds, send: FIELDS[name], reads: operation !== 'mutation' };
    });
  }),
  ...NODE_FIELDS.flatMap((field) =>
    NODE_TYPES.map((type): Operation => {
      const name = `Query.${field} of ${type.name}`;
      return { name, ...declaredAccess(type), send: FIELDS[name], reads: true };
    }),
  ),
];

/** Every REST route. */
export const ALL_ROUTES: readonly Operation[] = loadRoutes(internalSchema, ROOT).map(({ method, path, access }) => {
  const name = `${method.toUpperCase()} ${path}`;
  return {
    name,
    scope: access.scope,
    scopes: access.scopes,
    members: membersOf(access),
    credentials: access.credentials === true,
    send: ROUTES[name],
    reads: method === 'get',
  };
});

/** The request of a field or route. @throws if it has no row */
export function sendOf({ name, send }: Operation): SendOperation {
  if (send) return send;
  throw new Error(
    `${name} has no row in test/support/all-operations.ts: add a request for another tenant's data there.`,
  );
}
