import { randomUUID } from 'node:crypto';
import type { TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import type { Made, Sample } from './samples.ts';

/** Samples of the feed of turns, of stops and of new names. */
export const TURN_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  FollowTurns: ({ waitingId, weakKey }) => {
    const path = `/v1/runner/conversation/${waitingId}/stream`;
    return [
      { status: 200, path, until: 'event: turn.paused' },
      { status: 400, path: `${path}?after=none` },
      ...rejections(path, waitingId, weakKey),
    ];
  },
  ReadRunTrace: ({ runId, weakKey }) => {
    const path = `/v1/runs/${runId}/trace`;
    return [
      { status: 200, path: `${path}?limit=1` },
      { status: 400, path: `${path}?limit=0` },
      { status: 401, path, key: null },
      { status: 403, path, key: weakKey },
      { status: 404, path: path.replace(runId, randomUUID()) },
    ];
  },
  StopTurn: ({ conversationId, weakKey }) => {
    const path = `/v1/runner/conversation/${conversationId}/stop`;
    const asText = { raw: 'stop', headers: { 'content-type': 'text/plain' } };
    return [{ status: 200, path }, { status: 415, path, ...asText }, ...rejections(path, conversationId, weakKey)];
  },
  RenameConversation: ({ conversationId, weakKey }) => {
    const request = { path: `/v1/runner/conversation/${conversationId}`, body: { name: 'Blue shoes' } };
    return [
      { status: 200, ...request },
      { status: 200, ...request, body: { meta: { shop: 'north', tier: null } } },
      { status: 400, ...request, body: { name: ' ' } },
      { status: 400, ...request, body: {} },
      ...rejections(request.path, conversationId, weakKey).map((sample) => ({ ...request, ...sample })),
    ];
  },
  RateMessage: ({ reply, weakKey }) => {
    const path = `/v1/runner/conversation/${reply.conversationId}/messages/${reply.messageId}/rating`;
    const body = { rating: 'up', comment: 'Clear.' };
    return [
      { status: 200, path, body },
      { status: 200, path, body: { rating: null } },
      { status: 400, path, body: { comment: 'Clear.' } },
      ...rejections(path, reply.conversationId, weakKey).map((sample) => ({ ...sample, body })),
    ];
  },
  TakeOver: ({ handled, weakKey }) => {
    const path = `/v1/conversations/${handled.mine}/takeover`;
    return [
      { status: 200, path, body: {} },
      { status: 200, path: path.replace(handled.mine, handled.waiting), body: { display_name: 'Anna' } },
      { status: 400, path, body: { hold_minutes: 0 } },
      { status: 409, path: path.replace(handled.mine, handled.others), body: {} },
      ...rejections(path, handled.mine, weakKey).map((sample) => ({ ...sample, body: {} })),
    ];
  },
  SendAsMember: ({ handled, weakKey }) => {
    const path = `/v1/conversations/${handled.mine}/member-messages`;
    const body = { content: [{ type: 'text', text: 'Hi' }] };
    return [
      { status: 200, path, body },
      { status: 400, path, body: {} },
      { status: 409, path: path.replace(handled.mine, handled.others), body },
      ...rejections(path, handled.mine, weakKey).map((sample) => ({ ...sample, body })),
    ];
  },
  HandBack: ({ handled, weakKey }) => {
    const path = `/v1/conversations/${handled.returned}/handback`;
    return [
      { status: 200, path, body: { summary: 'Done.' } },
      { status: 400, path, body: { summary: ' ' } },
      { status: 409, path: path.replace(handled.returned, handled.others), body: {} },
      ...rejections(path, handled.returned, weakKey).map((sample) => ({ ...sample, body: {} })),
    ];
  },
  RegenerateTurn: ({ branched, waitingId, weakKey }) => {
    const path = `/v1/runner/conversation/${branched.conversationId}/regenerate`;
    return [
      { status: 200, path, body: {} },
      { status: 400, path, body: { history_limit: -1 } },
      { status: 409, path: path.replace(branched.conversationId, waitingId), body: {} },
      ...rejections(path, branched.conversationId, weakKey).map((sample) => ({ ...sample, body: {} })),
    ];
  },
  EditMessage: ({ branched, weakKey }) => {
    const path = `/v1/runner/conversation/${branched.conversationId}/messages/${branched.messageId}`;
    const body = { content: [{ type: 'text', text: 'Hello again' }] };
    return [
      { status: 400, path, body: {} },
      { status: 200, path, body },
      { status: 409, path, body },
      ...rejections(path, branched.conversationId, weakKey).map((sample) => ({ ...sample, body })),
    ];
  },
  SelectVariant: ({ reply, weakKey }) => {
    const path = `/v1/runner/conversation/${reply.conversationId}/messages/${reply.messageId}/select`;
    return [
      { status: 200, path, body: {} },
      { status: 400, path, body: { acknowledge_effects: 'yes' } },
      ...rejections(path, reply.conversationId, weakKey).map((sample) => ({ ...sample, body: {} })),
    ];
  },
  ForkConversation: ({ reply, weakKey }) => {
    const path = `/v1/runner/conversation/${reply.conversationId}/fork`;
    return [
      { status: 201, path, body: {} },
      { status: 201, path, body: { item_id: String(reply.messageId), meta: { copy: true } } },
      { status: 400, path, body: { meta: { page: 1 } } },
      ...rejections(path, reply.conversationId, weakKey).map((sample) => ({ ...sample, body: {} })),
    ];
  },
};

const rejections = (path: string, conversationId: string, weakKey: string): Sample[] => [
  { status: 401, path, key: 'sk_live_wrong' },
  { status: 403, path, key: weakKey },
  { status: 404, path: path.replace(conversationId, randomUUID()) },
];

/** Creates the conversation that waits, a reply, and a conversation whose messages are edited. */
export async function prepareTurns(
  service: TestService,
): Promise<Pick<Made, 'waitingId' | 'reply' | 'branched' | 'handled'>> {
  const { agentTurn, send } = service;
  const { body } = await agentTurn('/ask', { client_capabilities: ['ask_user'] });
  const said = async () => {
    const { conversation_id: conversationId } = (await agentTurn('Hello')).body;
    const messages = await send('GET', `/v1/runner/conversation/${conversationId}/messages`);
    return { conversationId, ids: messages.body.items.map(({ id }: { readonly id: number }) => id) };
  };
  const { conversationId, ids } = await said();
  const { conversationId: branchedId, ids: branchedIds } = await said();
  return {
    waitingId: body.conversation_id,
    reply: { conversationId, messageId: ids.at(-1) },
    branched: { conversationId: branchedId, messageId: branchedIds[0] },
    handled: await prepareHandled(service, async () => (await said()).conversationId),
  };
}

/** Conversations that a person has: the key, and a member. */
async function prepareHandled(service: TestService, said: () => Promise<string>): Promise<Made['handled']> {
  const [mine, others, returned, waiting] = [await said(), await said(), await said(), await said()];
  const take = (id: string, headers = {}) =>
    service.send('POST', `/v1/conversations/${id}/takeover`, { headers, body: {} });
  for (const id of [mine, returned]) await take(id);
  await take(others, { authorization: `Bearer ${await openSession(service, 'developer')}` });
  return { mine, others, returned, waiting };
}
