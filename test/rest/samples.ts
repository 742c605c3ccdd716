import { randomUUID } from 'node:crypto';
import { makeTicket } from '../support/second-factors.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, type TestService } from '../support/service.ts';
import { makeResetToken, openSession } from '../support/tenants.ts';
import { uploadFile } from '../support/uploads.ts';
import { BUDGET_SAMPLES, type Budgets, prepareBudgets } from './budget-samples.ts';
import { CONVERSATION_LIST_SAMPLES } from './conversation-list-samples.ts';
import { DELETION_SAMPLES, type Deletions, prepareDeletions } from './deletion-samples.ts';
import { END_USER_SAMPLES } from './end-user-samples.ts';
import { FILE_SAMPLES } from './file-samples.ts';
import { prepareResources, RESOURCE_SAMPLES } from './resource-samples.ts';
import { SESSION_SAMPLES } from './session-samples.ts';
import { prepareTurns, TURN_SAMPLES } from './turn-samples.ts';

/** A request of an operation and the expected status. */
export interface Sample {
  readonly status: number;
  readonly path: string;
  readonly body?: object;
  readonly raw?: string;
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** Reads a feed only up to this text. */
  readonly until?: string;
}

/** IDs and credentials for the samples. */
export interface Made {
  readonly conversationId: string;
  readonly runId: string;
  /** Completed conversations of the chat and of the agent. */
  readonly completedChat: string;
  readonly completedAgent: string;
  /** A conversation that waits for its client, and the ID of its pending call. */
  readonly paused: { readonly conversationId: string; readonly callId: string };
  /** A conversation that waits for its client all the time. */
  readonly waitingId: string;
  /** A file that no message uses. */
  readonly fileId: string;
  /** A message of the user. Samples replace it. */
  readonly branched: { readonly conversationId: string; readonly messageId: number };
  /** Conversations that the key has, a member has, the key hands back, and nobody has yet. */
  readonly handled: Readonly<Record<'mine' | 'others' | 'returned' | 'waiting', string>>;
  /** A reply. */
  readonly reply: { readonly conversationId: string; readonly messageId: number };
  /** A resource to change, a resource to delete, and an event. */
  readonly resources: { readonly kept: string; readonly deleted: string; readonly eventId: string };
  /** An API key without scopes. */
  readonly weakKey: string;
  /** The session of a member. */
  readonly session: string;
  /** A session that a sample ends. */
  readonly sessionToEnd: string;
  /** The token of a link that sets the password of a member. */
  readonly resetToken: string;
  /** The ticket of a sign-in that needs a second factor. */
  readonly ticket: string;
  readonly owner: { readonly email: string; readonly password: string };
  readonly budgets: Budgets;
  readonly deletions: Deletions;
  readonly triggers: { readonly unused: string; readonly expired: string; readonly workflowId: number };
}

const say = (text: string, fields: object = {}) => ({ content: [{ type: 'text', text }], ...fields });

const MEDIA = {
  content: [
    { type: 'text', text: 'Look' },
    { type: 'image', mime_type: 'image/png', file_uri: 'https://example.com/a.png' },
    { type: 'data', mime_type: 'text/plain', data: 'aGk=' },
  ],
  variables: { NAME: 'Ada' },
  meta: { ticket: 7, urgent: true, source: 'mail' },
  history_limit: 3,
};

const turns = (path: string, completedId: string, { weakKey }: Made): Sample[] => [
  { status: 200, path, body: say('Hello') },
  { status: 200, path, body: MEDIA },
  { status: 400, path, body: { content: [{ type: 'text', text: ' ' }] } },
  { status: 401, path, body: say('Hello'), key: null },
  { status: 403, path, body: say('Hello'), key: weakKey },
  { status: 404, path: path.replace(/[0-9a-f-]{36}/, randomUUID()), body: say('Hello') },
  { status: 409, path, body: say('Hello', { conversation_id: completedId }) },
  { status: 413, path, raw: JSON.stringify(say('x'.repeat(12 * 1024 * 1024))) },
  { status: 415, path, raw: 'content=Hello', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  { status: 502, path, body: say('/fail') },
];

/** One-shot runs, with and without a trigger. */
const oneShots = (path: string, { weakKey, triggers }: Made): Sample[] => [
  { status: 200, path, body: say('Hello', { variables: { NAME: 'Ada' } }) },
  ...(path.includes(DEMO_CHAT_ID)
    ? [
        { status: 200, path, body: { trigger_id: triggers.unused } },
        { status: 410, path, body: { trigger_id: triggers.expired } },
      ]
    : []),
  { status: 400, path, body: {} },
  { status: 401, path, body: say('Hello'), key: null },
  { status: 403, path, body: say('Hello'), key: weakKey },
  { status: 404, path: path.replace(/[0-9a-f-]{36}/, randomUUID()), body: say('Hello') },
  { status: 502, path, body: say('/fail') },
];

/** A pause, rejected requests during the pause, and a resume. */
const resumes = (path: string, { conversationId, callId }: Made['paused']): Sample[] => {
  const resume = (call_id: string, output: object, rest: object = {}) => ({
    conversation_id: conversationId,
    tool_results: [{ call_id, output }],
    ...rest,
  });
  const schema = { type: 'object', properties: { customer_id: { type: 'string' } } };
  const clientCapabilities = ['lookup_customer', { name: 'own_tool', input_schema: schema }];
  return [
    {
      status: 200,
      path,
      body: say('/call lookup_customer {"customer_id":"c1"}', { client_capabilities: clientCapabilities }),
    },
    { status: 409, path, body: say('Hello', { conversation_id: conversationId }) },
    { status: 400, path, body: resume('call_unknown', {}) },
    { status: 400, path, body: resume(callId, {}, { tool_results: [] }) },
    { status: 200, path, body: resume(callId, { name: 'Ada' }) },
    { status: 409, path, body: resume(callId, { name: 'Grace' }) },
  ];
};

const reads = (path: string, { conversationId, weakKey }: Made): Sample[] => [
  { status: 200, path },
  { status: 200, path: path.replace(conversationId, conversationId.toUpperCase()) },
  { status: 401, path, key: 'sk_live_wrong' },
  { status: 403, path, key: weakKey },
  { status: 404, path: path.replace(conversationId, randomUUID()) },
];

/** Samples by operation. A test fails if an operation has no samples. */
export const SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  SendMessage: (made) => turns(`/v1/runner/${DEMO_CHAT_ID}/conversation`, made.completedChat, made),
  RunAgentTurn: (made) => [
    ...turns(`/v2/runner/${DEMO_AGENT_ID}/conversation`, made.completedAgent, made),
    ...resumes(`/v2/runner/${DEMO_AGENT_ID}/conversation`, made.paused),
  ],
  StreamReply: (made) => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`;
    const events = { accept: 'text/event-stream' };
    return [
      ...turns(path, made.completedChat, made),
      { status: 200, path, body: say('/stream 3'), headers: events },
      { status: 502, path, body: say('/fail') },
    ];
  },
  ...TURN_SAMPLES,
  RunOnce: (made) => oneShots(`/v1/runner/${DEMO_CHAT_ID}`, made),
  RunOnceV2: (made) => oneShots(`/v2/runner/${DEMO_AGENT_ID}`, made),
  StreamOnce: (made) => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/stream`;
    const events = { accept: 'text/event-stream' };
    return [...oneShots(path, made), { status: 200, path, body: say('/stream 3'), headers: events }];
  },
  CreateTrigger: ({ weakKey }) => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/trigger`;
    const full = { ...say('Hello'), variables: { NAME: 'Ada', score: 7 }, ui_surface: 'chat', ttl_hours: null };
    return [
      { status: 200, path, body: say('Hello') },
      { status: 200, path, body: full },
      { status: 400, path, body: say('Hello', { ttl_hours: 0 }) },
      { status: 401, path, body: say('Hello'), key: null },
      { status: 403, path, body: say('Hello'), key: weakKey },
      { status: 404, path: path.replace(DEMO_CHAT_ID, randomUUID()), body: say('Hello') },
    ];
  },
  ReadTrigger: ({ triggers }) => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/trigger/${triggers.unused}`;
    return [
      { status: 200, path, key: null },
      { status: 200, path: path.replace(triggers.unused, triggers.expired), key: null },
      { status: 401, path, key: 'sk_live_wrong' },
      { status: 404, path: path.replace(DEMO_CHAT_ID, DEMO_AGENT_ID) },
    ];
  },
  ListTriggers: ({ weakKey }) => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/triggers`;
    return [
      { status: 200, path: `${path}?page_size=2` },
      { status: 400, path: `${path}?page_size=0` },
      { status: 401, path, key: null },
      { status: 403, path, key: weakKey },
      { status: 404, path: path.replace(DEMO_CHAT_ID, randomUUID()) },
    ];
  },
  SetTriggerRequired: ({ triggers, weakKey }) => {
    const path = `/v1/workflow/${triggers.workflowId}/trigger-settings`;
    return [
      { status: 200, path, body: { trigger_required: false } },
      { status: 400, path, body: {} },
      { status: 401, path, body: { trigger_required: true }, key: null },
      { status: 403, path, body: { trigger_required: true }, key: weakKey },
      { status: 404, path: '/v1/workflow/2147483647/trigger-settings', body: { trigger_required: true } },
    ];
  },
  ReadWidgetMeta: () => {
    const path = `/v1/runner/${DEMO_AGENT_ID}/widget-meta`;
    return [
      { status: 200, path, key: null },
      { status: 401, path, key: 'sk_live_wrong' },
      { status: 404, path: path.replace(DEMO_AGENT_ID, randomUUID()) },
    ];
  },
  ListDeployments: ({ weakKey }) => [
    { status: 200, path: '/v1/deployments?limit=1' },
    { status: 400, path: '/v1/deployments?limit=0' },
    { status: 401, path: '/v1/deployments', key: null },
    { status: 403, path: '/v1/deployments', key: weakKey },
  ],
  ...RESOURCE_SAMPLES,
  ...DELETION_SAMPLES,
  ...FILE_SAMPLES,
  ...SESSION_SAMPLES,
  ...CONVERSATION_LIST_SAMPLES,
  ...BUDGET_SAMPLES,
  ...END_USER_SAMPLES,
  ExportConversation: (made) => reads(`/v1/conversations/${made.conversationId}/export`, made),
  ExportEnvironment: ({ weakKey, session }) => [
    { status: 200, path: '/v1/export' },
    { status: 401, path: '/v1/export', key: null },
    { status: 403, path: '/v1/export', key: weakKey },
    { status: 403, path: '/v1/export', key: session },
  ],
  ReadHistory: (made) => {
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation/${made.conversationId}/history`;
    return [
      ...reads(path, made),
      { status: 200, path: `${path}?limit=1` },
      { status: 400, path: `${path}?limit=0` },
      { status: 400, path: `${path}?cursor=none` },
    ];
  },
  ReadMessages: (made) => {
    const path = `/v1/runner/conversation/${made.conversationId}/messages`;
    return [
      ...reads(path, made),
      { status: 200, path: path.replace(made.conversationId, made.completedChat) },
      { status: 200, path: `${path}?page=2&page_size=1` },
      { status: 400, path: `${path}?page=none` },
    ];
  },
};

/** Creates the objects of the samples. The agent conversation has every type of history item. */
export async function prepareSamples(tested: TestService): Promise<Made> {
  const { service, agentTurn, chat, send, keys } = tested;
  const session = await openSession(tested, 'viewer');
  const sessionToEnd = await openSession(tested, 'viewer');
  const [resetToken, ticket] = [await makeResetToken(tested), await makeTicket(tested)];
  const resources = await prepareResources(send);
  const { prisma } = service.services.stores;
  const { conversation_id: conversationId, run_id: runId } = (await agentTurn('Hello', MEDIA)).body;
  const { environmentId } = await prisma.conversation.findFirstOrThrow({ where: { id: conversationId } });
  const row = { environmentId, conversationId, runId, step: 1, revision: 1n, createdAt: new Date() };
  const call = { ...row, name: 'a_tool', arguments: { deep: { camelCase: 1 } } };
  await prisma.timelineItem.createMany({
    data: [
      { ...call, kind: 'tool', callId: 'call_1', status: 'completed' },
      { ...call, kind: 'action', callId: 'call_2', status: 'failed' },
      { ...call, kind: 'client_tool', callId: 'call_3', status: 'completed', output: { answers: [] } },
      { ...call, kind: 'client_tool', callId: 'call_4', status: 'pending' },
      { ...row, kind: 'conversation_completed' },
    ],
  });
  const completedChat: string = (await chat('Bye')).body.conversation_id;
  const completedAgent: string = (await agentTurn('Bye')).body.conversation_id;
  await prisma.conversation.updateMany({
    where: { id: { in: [completedChat, completedAgent] } },
    data: { status: 'completed', completedAt: new Date() },
  });
  const { conversation_id: pausedId, client_tool_calls: calls } = (
    await agentTurn('/call lookup_customer {"customer_id":"c1"}', { client_capabilities: ['lookup_customer'] })
  ).body;
  await prisma.apiKey.updateMany({ where: { environment: { kind: 'test' } }, data: { scopes: [] } });
  const paused = { conversationId: pausedId, callId: calls[0].call_id };
  const created = await send('POST', `/v1/runner/${DEMO_CHAT_ID}/trigger`, { body: say('Hello') });
  const { id: unused, workflow_id: workflowId } = created.body;
  const expired = 'expired1';
  const { workflowLogId: _log, ...like } = await prisma.trigger.findFirstOrThrow({ where: { id: unused } });
  const { content, variables: _free, ...rest } = like;
  const past = new Date(Date.now() - 1_000);
  await prisma.trigger.create({ data: { ...rest, content: content as object[], id: expired, expiresAt: past } });
  const triggers = { unused, expired, workflowId };
  const credentials = { session, sessionToEnd, resetToken, ticket, owner: tested.owner, weakKey: keys.test };
  const turns = await prepareTurns(tested);
  const conversations = { conversationId, runId, paused, ...turns, completedChat, completedAgent };
  const { id: fileId } = await uploadFile(tested);
  const deletions = await prepareDeletions(tested);
  const budgets = await prepareBudgets(tested, environmentId);
  return { ...conversations, budgets, resources, triggers, deletions, fileId, ...credentials };
}
