import { randomUUID } from 'node:crypto';
import type { TestService } from '../support/service.ts';
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
};

const rejections = (path: string, conversationId: string, weakKey: string): Sample[] => [
  { status: 401, path, key: 'sk_live_wrong' },
  { status: 403, path, key: weakKey },
  { status: 404, path: path.replace(conversationId, randomUUID()) },
];

/** Creates the conversation that waits, and a reply. */
export async function prepareTurns({ agentTurn, send }: TestService): Promise<Pick<Made, 'waitingId' | 'reply'>> {
  const { body } = await agentTurn('/ask', { client_capabilities: ['ask_user'] });
  const { conversation_id: conversationId } = (await agentTurn('Hello')).body;
  const messages = await send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return { waitingId: body.conversation_id, reply: { conversationId, messageId: messages.body.items.at(-1).id } };
}
