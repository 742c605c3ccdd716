import { EXAMPLE_IDS, EXAMPLE_TIMES } from './openapi-example-ids.ts';
import { ANSWER, ONE_SHOT, TURN } from './openapi-example-objects.ts';
import type { Route } from './route.ts';

interface StreamExamples {
  readonly text?: string;
  readonly events?: string;
  readonly lines?: string;
}

const DELTAS = ['Your order ', 'is on its way.'].map((text) => ({ event: 'delta', text }));

const START = {
  event: 'start',
  conversation_id: EXAMPLE_IDS.chatConversation,
  run_id: EXAMPLE_IDS.run,
  name: 'Where is my order?',
};

/** Cursors are opaque. */
const EXAMPLE_CURSOR = 'k0V2a1h3c2VjcmV0WyIxMiIsIiJd';

const MESSAGE_KEY = `${EXAMPLE_IDS.run}:1`;

const FEED = [
  { event: 'turn.started', run_id: EXAMPLE_IDS.run },
  { event: 'text.delta', message_key: MESSAGE_KEY, offset: 0, text: ANSWER },
  {
    event: 'turn.ended',
    run_id: EXAMPLE_IDS.run,
    run_status: 'completed',
    finish_reason: 'stop',
    error_code: null,
    reply: ANSWER,
  },
];

const STREAMS: Readonly<Record<string, StreamExamples>> = {
  StreamReply: { text: ANSWER, events: eventStream([START, ...DELTAS, { event: 'done', ...TURN }]) },
  FollowTurns: { events: eventStream(FEED.map((event) => ({ id: EXAMPLE_CURSOR, ...event }))) },
  StreamOnce: { text: ANSWER, events: eventStream([{ event: 'start' }, ...DELTAS, { event: 'done', ...ONE_SHOT }]) },
  ExportConversation: {
    lines: jsonLines({
      environment: 'live',
      conversation_id: EXAMPLE_IDS.chatConversation,
      started_at: EXAMPLE_TIMES.created,
    }),
  },
  ExportConversations: {
    lines: jsonLines({ environment: 'live', started_at: EXAMPLE_TIMES.created, truncated: false }),
  },
  ExportEnvironment: { lines: jsonLines({ environment: 'live', started_at: EXAMPLE_TIMES.created }) },
};

function eventStream(events: readonly ({ readonly event: string; readonly id?: string } & object)[]): string {
  const line = (id: string | undefined) => (id === undefined ? '' : `id: ${id}\n`);
  return events
    .map(({ id, event, ...data }) => `${line(id)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
}

/** The first and the last line of an export. */
function jsonLines(data: object): string {
  const lines = [
    { type: 'export', data: { version: 1, ...data } },
    { type: 'end', counts: {} },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The example bodies of a streamed response. */
export function streamExamples({ name }: Route): StreamExamples {
  return STREAMS[name] ?? {};
}
