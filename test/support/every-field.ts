import type { GraphQLInterfaceType } from 'graphql';
import { type Access, accessOf } from '../../src/graphql/field-scope.ts';
import { nodeAccessOf } from '../../src/graphql/node-scope.ts';
import { schema } from '../../src/graphql/schema.ts';
import { loadRoutes } from '../../src/rest/router.ts';
import { ACCESS_FIELDS, ACCESS_ROUTES } from './access-rows.ts';
import type { Answer, Client } from './client.ts';
import { ROOT } from './database.ts';
import { FEED_FIELDS } from './feed-rows.ts';
import { DELIVERY, ENDPOINT, HOOK_FIELDS, INTEGRATION } from './hook-rows.ts';
import { MEMBER, MEMBER_FIELDS } from './member-rows.ts';
import type { Planted } from './plant.ts';
import { RESOURCE_FIELDS, RESOURCE_ROUTES } from './resource-rows.ts';
import { RIGHTS_FIELDS, RIGHTS_ROUTES } from './rights-rows.ts';
import { USAGE_FIELDS } from './usage-rows.ts';
import { WORKFLOW_FIELDS } from './workflow-rows.ts';

/** A request for what was planted, with somebody's key. */
export type Ask = (client: Client, key: string | null, planted: Planted) => Promise<Answer>;

export interface Door {
  readonly name: string;
  /** The scope that it declares. */
  readonly scope: string | undefined;
  /** Where it asks for several at once; these doors have tests of their own of what each of them is for. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether it is for members who have signed in, or for those of them alone who administer the workspace. */
  readonly members: 'session' | 'administrator' | undefined;
  /** Undefined where the table below has no row for it. */
  readonly ask: Ask | undefined;
  readonly reads: boolean;
}

const TURN = { content: [{ type: 'text', text: 'More' }] };
const CONVERSATION = '{ name variables meta messages { nodes { content { ... on TextPart { text } } } } }';
const TRIGGER = '{ triggerId content { ... on TextPart { text } } variables }';
const TURNED = '{ ... on FinishedTurn { name content conversation { name } } ... on PausedTurn { name } }';

function graphql(document: string, variables: (planted: Planted) => object): Ask {
  return (client, key, planted) => client.graphql(document, variables(planted), { key });
}

/** What a subscription answers last: it comes as an event. */
function subscription(document: string, variables: (planted: Planted) => object): Ask {
  const ask = graphql(document, variables);
  return async (...args) => {
    const answer = await ask(...args);
    if (typeof answer.body !== 'string') return answer;
    const events = [...answer.body.matchAll(/^data: (\{.*)$/gm)];
    return { ...answer, body: JSON.parse(events.at(-1)?.[1] ?? '{}') };
  };
}

function turn(field: string, input: string, selection: string, fields: (planted: Planted) => object): Ask {
  return graphql(
    `mutation ($deploymentId: UUID!, $input: ${input}!) { ${field}(deploymentId: $deploymentId, input: $input) ${selection} }`,
    (planted) => ({ deploymentId: planted.deploymentId, input: fields(planted) }),
  );
}

/** How a node type is asked for by the global id of what was planted. */
function nodeRows(type: string, selection: string, idOf: (planted: Planted) => string): Record<string, Ask> {
  const fields = `{ id ... on ${type} ${selection} }`;
  return {
    [`Query.node of ${type}`]: graphql(`query ($id: ID!) { node(id: $id) ${fields} }`, (planted) => ({
      id: idOf(planted),
    })),
    [`Query.nodes of ${type}`]: graphql(`query ($ids: [ID!]!) { nodes(ids: $ids) ${fields} }`, (planted) => ({
      ids: [idOf(planted)],
    })),
  };
}

/** How each root field is asked for what was planted. Every root field of the schema has a row. */
const FIELDS: Readonly<Record<string, Ask>> = {
  'Query.conversation': graphql(
    `query ($id: UUID!) { conversation(conversationId: $id) ${CONVERSATION} }`,
    ({ conversationId }) => ({ id: conversationId }),
  ),
  'Query.conversations': graphql(`{ conversations(first: 100) { nodes ${CONVERSATION} totalCount } }`, () => ({})),
  'Query.conversationPage': graphql(`{ conversationPage(pageSize: 100) { items ${CONVERSATION} total } }`, () => ({})),
  ...nodeRows('Conversation', CONVERSATION, ({ nodeId }) => nodeId),
  ...nodeRows('Resource', '{ fields }', ({ resource }) => resource.nodes.resource),
  ...nodeRows('Event', '{ payload }', ({ resource }) => resource.nodes.event),
  ...nodeRows('Trigger', '{ variables }', ({ trigger }) => trigger.nodeId),
  ...nodeRows('ApiKey', '{ name }', ({ key }) => key.nodeId),
  ...RESOURCE_FIELDS,
  ...FEED_FIELDS,
  ...nodeRows('Workflow', '{ name }', ({ workflow }) => workflow.nodes.workflow),
  ...nodeRows('Deployment', '{ name }', ({ workflow }) => workflow.nodes.deployment),
  ...ACCESS_FIELDS,
  ...nodeRows('Member', MEMBER, ({ member }) => member.nodeId),
  ...MEMBER_FIELDS,
  ...nodeRows('WorkflowLog', '{ conversationId }', ({ log }) => log.nodeId),
  ...USAGE_FIELDS,
  ...RIGHTS_FIELDS,
  ...nodeRows('Integration', INTEGRATION, ({ hooks }) => hooks.nodes.integration),
  ...nodeRows('WebhookEndpoint', ENDPOINT, ({ hooks }) => hooks.nodes.endpoint),
  ...nodeRows('WebhookDelivery', DELIVERY, ({ hooks }) => hooks.nodes.delivery),
  ...HOOK_FIELDS,
  ...WORKFLOW_FIELDS,
  'Query.trigger': graphql(
    `query ($deploymentId: UUID!, $id: String!) { trigger(deploymentId: $deploymentId, triggerId: $id) ${TRIGGER} }`,
    ({ deploymentId, trigger }) => ({ deploymentId, id: trigger.id }),
  ),
  'Query.triggers': graphql(`{ triggers(first: 100) { nodes ${TRIGGER} totalCount } }`, () => ({})),
  'Query.triggerPage': graphql(
    `query ($deploymentId: UUID!) { triggerPage(deploymentId: $deploymentId, pageSize: 100) { items ${TRIGGER} total } }`,
    ({ deploymentId }) => ({ deploymentId }),
  ),
  'Query.widgetMeta': graphql(
    'query ($deploymentId: UUID!) { widgetMeta(deploymentId: $deploymentId) { name } }',
    ({ deploymentId }) => ({ deploymentId }),
  ),
  'Mutation.createTrigger': turn('createTrigger', 'TriggerInput', TRIGGER, () => TURN),
  'Mutation.runOnce': turn('runOnce', 'OneShotInput', '{ content }', ({ trigger }) => ({ triggerId: trigger.id })),
  'Subscription.oneShotStream': subscription(
    `subscription ($deploymentId: UUID!, $input: OneShotInput!) {
      oneShotStream(deploymentId: $deploymentId, input: $input) { event ... on OneShotDone { run { content } } } }`,
    ({ deploymentId, trigger }) => ({ deploymentId, input: { triggerId: trigger.id } }),
  ),
  'Mutation.sendMessage': turn('sendMessage', 'MessageInput', '{ name content conversation { name } }', (planted) => ({
    ...TURN,
    conversationId: planted.conversationId,
  })),
  'Mutation.runAgentTurn': turn('runAgentTurn', 'AgentTurnInput', TURNED, (planted) => ({
    ...TURN,
    conversationId: planted.conversationId,
  })),
  'Mutation.resumeAgentTurn': turn('resumeAgentTurn', 'ResumeInput', TURNED, ({ waiting }) => ({
    conversationId: waiting.conversationId,
    toolResults: [{ callId: waiting.callId, output: { answers: [] } }],
  })),
  'Subscription.replyStream': subscription(
    `subscription ($deploymentId: UUID!, $input: MessageInput!) {
      replyStream(deploymentId: $deploymentId, input: $input) { event ... on ReplyDone { turn { name } } } }`,
    ({ deploymentId, conversationId }) => ({ deploymentId, input: { ...TURN, conversationId } }),
  ),
};

const once =
  (path: (planted: Planted) => string): Ask =>
  (client, key, planted) =>
    client.send('POST', path(planted), { body: { trigger_id: planted.trigger.id }, key });

const get =
  (path: (planted: Planted) => string): Ask =>
  (client, key, planted) =>
    client.send('GET', path(planted), { key });

const stream: Ask = (client, key, { deploymentId, conversationId }) => {
  const body = { ...TURN, conversation_id: conversationId };
  return client.send('POST', `/v1/runner/${deploymentId}/conversation/stream`, { body, key });
};

const post =
  (version: 'v1' | 'v2'): Ask =>
  (client, key, { deploymentId, conversationId }) => {
    const body = { ...TURN, conversation_id: conversationId };
    return client.send('POST', `/${version}/runner/${deploymentId}/conversation`, { body, key });
  };

/** The same for each REST route. */
const ROUTES: Readonly<Record<string, Ask>> = {
  'POST /v1/runner/{deployment_id}/conversation': post('v1'),
  'POST /v2/runner/{deployment_id}/conversation': post('v2'),
  'POST /v1/runner/{deployment_id}/conversation/stream': stream,
  'POST /v1/runner/{deployment_id}': once(({ deploymentId }) => `/v1/runner/${deploymentId}`),
  'POST /v2/runner/{deployment_id}': once(({ deploymentId }) => `/v2/runner/${deploymentId}`),
  'POST /v1/runner/{deployment_id}/stream': once(({ deploymentId }) => `/v1/runner/${deploymentId}/stream`),
  'POST /v1/runner/{deployment_id}/trigger': (client, key, { deploymentId }) =>
    client.send('POST', `/v1/runner/${deploymentId}/trigger`, { body: TURN, key }),
  'GET /v1/runner/{deployment_id}/trigger/{trigger_id}': get(
    ({ deploymentId, trigger }) => `/v1/runner/${deploymentId}/trigger/${trigger.id}`,
  ),
  'GET /v1/runner/{deployment_id}/triggers': get(
    ({ deploymentId }) => `/v1/runner/${deploymentId}/triggers?page_size=100`,
  ),
  'GET /v1/runner/{deployment_id}/widget-meta': get(({ deploymentId }) => `/v1/runner/${deploymentId}/widget-meta`),
  'POST /v1/workflow/{workflow_id}/trigger-settings': (client, key, { trigger }) =>
    client.send('POST', `/v1/workflow/${trigger.workflowId}/trigger-settings`, {
      body: { trigger_required: false },
      key,
    }),
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
  ...RIGHTS_ROUTES,
};

function membersOf({ session, administrator }: Access): Door['members'] {
  if (administrator) return 'administrator';
  return session ? 'session' : undefined;
}

const NODE_TYPES = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType);

/** Every root field of the schema; `node` and `nodes` once for each type of node, whose scope they ask for. */
export const EVERY_FIELD: readonly Door[] = (['query', 'mutation', 'subscription'] as const).flatMap((operation) => {
  const root = schema.getRootType(operation as never);
  return Object.values(root?.getFields() ?? {}).flatMap((field): Door[] => {
    const name = `${root?.name}.${field.name}`;
    const reads = operation !== 'mutation';
    if (!/^nodes?$/.test(field.name)) {
      const { scope, scopes } = accessOf(field);
      return [{ name, scope, scopes, members: membersOf(accessOf(field)), ask: FIELDS[name], reads }];
    }
    return NODE_TYPES.map((type) => {
      const nameOfType = `${name} of ${type.name}`;
      const access = nodeAccessOf(type);
      return { name: nameOfType, scope: access.scope, members: membersOf(access), ask: FIELDS[nameOfType], reads };
    });
  });
});

/** Every route of the REST facade. */
export const EVERY_ROUTE: readonly Door[] = loadRoutes(schema, ROOT).map(({ method, path, access }) => {
  const name = `${method.toUpperCase()} ${path}`;
  return {
    name,
    scope: access.scope,
    scopes: access.scopes,
    members: membersOf(access),
    ask: ROUTES[name],
    reads: method === 'get',
  };
});

/** The row of a field or route. @throws where there is none */
export function rowOf({ name, ask }: Door): Ask {
  if (ask) return ask;
  throw new Error(
    `${name} has no row in test/support/every-field.ts: say there how it is asked for what is another's.`,
  );
}
