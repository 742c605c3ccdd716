import { textContent } from '../../../test/support/agent-apis.ts';
import { openStream } from '../../../test/support/streams.ts';
import type { Action } from '../context.ts';
import type { KnownConversation } from './conversation.ts';

const WORDS = 40;

/** Streamed replies that are read completely or abandoned. */
export function streamedReplies(): (action: Action) => Promise<void> {
  let last: KnownConversation | undefined;
  return async (action) => {
    const { random, deployments, fleet, journal, tag } = action;
    const conversation = random.chance(0.5) && !last?.completed ? last : undefined;
    const text = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ');
    const whole = `${tag} ${text}`;
    const body = {
      content: textContent(`/say ${whole}`),
      ...(conversation && { conversation_id: conversation.id }),
    };
    const pieces = random.chance(0.5) ? random.index(WORDS) + 1 : undefined;
    const client = await fleet.client(random.index(3));
    const read = await readReply(client, body, deployments.agent, pieces);
    journal.check('a stream is rejected as documented', read.refusal === undefined, () => `${read.refusal}`);
    journal.check('the read part of a reply is its beginning', whole.startsWith(read.text), () => read.text);
    journal.count('streamed reply', read.outcome);
    last = recordStream(action, whole, read) ?? last;
  };
}

function recordStream({ journal, deployments, tag }: Action, whole: string, read: Read): KnownConversation | undefined {
  const { conversationId, runId = '', text: part, outcome } = read;
  journal.turns.push({ tag, outcome: conversationId ? 'accepted' : 'lost', conversationId, attempts: 1 });
  if (!conversationId) return undefined;
  journal.conversations.set(conversationId, deployments.agent);
  if (outcome === 'complete') journal.replies.push({ conversationId, text: whole });
  if (outcome === 'abandoned') journal.streams.push({ conversationId, runId, whole, read: part });
  return { id: conversationId, deploymentId: deployments.agent, completed: false, uncertain: true };
}

interface Read {
  readonly outcome: 'complete' | 'abandoned' | 'connection cut' | '502 or 503' | '409 run_in_progress' | 'rejected';
  readonly text: string;
  readonly conversationId?: string | undefined;
  readonly runId?: string | undefined;
  readonly refusal?: string;
}

type StreamingClient = Parameters<typeof openStream>[0];

/** Reads this many chunks and disconnects, or reads all of them. */
async function readReply(
  client: StreamingClient,
  body: object,
  deploymentId: string,
  pieces: number | undefined,
): Promise<Read> {
  const stream = await openStream(client, body, { deploymentId }).catch(() => undefined);
  if (!stream) return { outcome: 'connection cut', text: '' };
  const { status, headers } = stream.response;
  const ids = {
    conversationId: headers.get('x-conversation-id') ?? undefined,
    runId: headers.get('x-run-id') ?? undefined,
  };
  if (status !== 200) {
    const refusal = await stream.response.text().catch(() => '');
    if (status === 503 || status === 502) return { outcome: '502 or 503', text: '' };
    // A client that abandoned a reply does not know when its turn ends.
    if (refusal.includes('"run_in_progress"')) return { outcome: '409 run_in_progress', text: '' };
    return { outcome: 'rejected', text: '', refusal: `${status} ${refusal}` };
  }
  try {
    if (pieces !== undefined) return { outcome: 'abandoned', text: await stream.take(pieces), ...ids };
    return { outcome: 'complete', text: (await stream.chunks()).join(''), ...ids };
  } catch {
    return { outcome: 'connection cut', text: '', ...ids };
  }
}
