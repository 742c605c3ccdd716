import { text } from '../../../test/support/doors.ts';
import { openStream } from '../../../test/support/streams.ts';
import type { Move } from '../stage.ts';
import type { Known } from './conversation.ts';

const WORDS = 40;

/** Streamed replies: read to their end, or left in the middle. */
export function streamedReplies(): (move: Move) => Promise<void> {
  let last: Known | undefined;
  return async (move) => {
    const { random, deployments, fleet, journal, tag } = move;
    const conversation = random.chance(0.5) && !last?.completed ? last : undefined;
    const words = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ');
    const whole = `${tag} ${words}`;
    const body = {
      content: text(`/say ${whole}`),
      ...(conversation && { conversation_id: conversation.id }),
    };
    const pieces = random.chance(0.5) ? random.index(WORDS) + 1 : undefined;
    const client = await fleet.client(random.index(3));
    const read = await readReply(client, body, deployments.agent, pieces);
    journal.check('a stream is refused as documented', read.refusal === undefined, () => `${read.refusal}`);
    journal.check('what is read of a reply is its beginning', whole.startsWith(read.text), () => read.text);
    journal.count('streamed reply', read.how);
    last = noted(move, whole, read) ?? last;
  };
}

function noted({ journal, deployments, tag }: Move, whole: string, read: Read): Known | undefined {
  const { conversationId, runId = '', text: part, how } = read;
  journal.turns.push({ tag, fate: conversationId ? 'accepted' : 'lost', conversationId, attempts: 1 });
  if (!conversationId) return undefined;
  journal.conversations.set(conversationId, deployments.agent);
  if (how === 'read to its end') journal.replies.push({ conversationId, text: whole });
  if (how === 'left') journal.streams.push({ conversationId, runId, whole, read: part });
  return { id: conversationId, deploymentId: deployments.agent, completed: false, uncertain: true };
}

interface Read {
  readonly how: 'read to its end' | 'left' | 'connection cut' | '502 or 503' | '409 run_in_progress' | 'refused';
  readonly text: string;
  readonly conversationId?: string | undefined;
  readonly runId?: string | undefined;
  readonly refusal?: string;
}

type StreamingClient = Parameters<typeof openStream>[0];

/** Reads so many pieces and goes away, or all of them. */
async function readReply(
  client: StreamingClient,
  body: object,
  deploymentId: string,
  pieces: number | undefined,
): Promise<Read> {
  const stream = await openStream(client, body, { deploymentId }).catch(() => undefined);
  if (!stream) return { how: 'connection cut', text: '' };
  const { status, headers } = stream.response;
  const ids = {
    conversationId: headers.get('x-conversation-id') ?? undefined,
    runId: headers.get('x-run-id') ?? undefined,
  };
  if (status !== 200) {
    const refusal = await stream.response.text().catch(() => '');
    if (status === 503 || status === 502) return { how: '502 or 503', text: '' };
    // Whoever left a reply is not told when its turn has ended.
    if (refusal.includes('"run_in_progress"')) return { how: '409 run_in_progress', text: '' };
    return { how: 'refused', text: '', refusal: `${status} ${refusal}` };
  }
  try {
    if (pieces !== undefined) return { how: 'left', text: await stream.take(pieces), ...ids };
    return { how: 'read to its end', text: (await stream.chunks()).join(''), ...ids };
  } catch {
    return { how: 'connection cut', text: '', ...ids };
  }
}
