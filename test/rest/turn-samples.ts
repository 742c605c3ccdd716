import { randomUUID } from 'node:crypto';
import type { TestService } from '../support/service.ts';
import type { Made, Sample } from './samples.ts';

/** Samples of the feed of turns and of stops. */
export const TURN_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  FollowTurns: ({ waitingId, weakKey }) => {
    const path = `/v1/runner/conversation/${waitingId}/stream`;
    return [
      { status: 200, path, until: 'event: turn.paused' },
      { status: 400, path: `${path}?after=none` },
      ...rejections(path, waitingId, weakKey),
    ];
  },
  StopTurn: ({ conversationId, weakKey }) => {
    const path = `/v1/runner/conversation/${conversationId}/stop`;
    return [{ status: 200, path }, ...rejections(path, conversationId, weakKey)];
  },
};

const rejections = (path: string, conversationId: string, weakKey: string): Sample[] => [
  { status: 401, path, key: 'sk_live_wrong' },
  { status: 403, path, key: weakKey },
  { status: 404, path: path.replace(conversationId, randomUUID()) },
];

/** Creates the conversation that waits. */
export async function prepareTurns({ agentTurn }: TestService): Promise<string> {
  const { body } = await agentTurn('/ask', { client_capabilities: ['ask_user'] });
  return body.conversation_id;
}
