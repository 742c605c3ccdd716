import { CAPABLE, type History, type HistoryItem, lookup, pauseTurn, readHistory, resume } from './agent-turns.ts';
import type { Client, HttpResponse } from './client.ts';
import { until } from './until.ts';

/** Lines of the tool turn: a server tool, a client tool, and the reply after the resume. */
type Line = 'serverTool' | 'clientTool' | 'reply';

/** Longer than any test. The process is killed earlier. */
const LONGER_THAN_TEST_S = 60;

/** A point between two steps of a tool turn at which a process may die. */
export interface Boundary {
  readonly name: string;
  /** Whether the turn is paused first. The interrupted request is then its resume. */
  readonly resumed: boolean;
  /**
   * The model steps before which the turn waits: until the boundary, or for a time that keeps the turn from continuing.
   */
  readonly waits: Partial<Record<Line, 'boundary' | number>>;
  /**
   * Number of timeline items while the turn approaches the boundary. Null if the boundary is the start of a request.
   */
  readonly itemsBefore: number | null;
  /** The latest run's status and the number of new items if the statement at the boundary was not stored. */
  readonly outcomeIfLost: string;
  /**
   * The same if it was stored. Equal to `undone` if the model is running at the boundary, because then there is no
   * statement.
   */
  readonly outcomeIfStored: string;
}

const WAITING = 'waiting_for_client_action';

export const BOUNDARIES: readonly Boundary[] = [
  {
    name: 'accepted',
    resumed: false,
    waits: { serverTool: LONGER_THAN_TEST_S },
    itemsBefore: null,
    outcomeIfLost: 'completed +0',
    outcomeIfStored: 'failed +1',
  },
  {
    name: 'model called',
    resumed: false,
    waits: { serverTool: LONGER_THAN_TEST_S },
    itemsBefore: 3,
    outcomeIfLost: 'failed +0',
    outcomeIfStored: 'failed +0',
  },
  {
    name: 'server tool run',
    resumed: false,
    waits: { serverTool: 'boundary', clientTool: LONGER_THAN_TEST_S },
    itemsBefore: 3,
    outcomeIfLost: 'failed +0',
    outcomeIfStored: 'failed +2',
  },
  {
    name: 'paused',
    resumed: false,
    waits: { clientTool: 'boundary' },
    itemsBefore: 5,
    outcomeIfLost: 'failed +0',
    outcomeIfStored: `${WAITING} +1`,
  },
  {
    name: 'results accepted',
    resumed: true,
    waits: { reply: 2 },
    itemsBefore: null,
    outcomeIfLost: `${WAITING} +0`,
    outcomeIfStored: 'interrupted +0',
  },
  {
    name: 'model called again',
    resumed: true,
    waits: { reply: LONGER_THAN_TEST_S },
    itemsBefore: 6,
    outcomeIfLost: 'interrupted +0',
    outcomeIfStored: 'interrupted +0',
  },
  {
    name: 'settling',
    resumed: true,
    waits: { reply: 'boundary' },
    itemsBefore: 6,
    outcomeIfLost: 'interrupted +0',
    outcomeIfStored: 'completed +1',
  },
];

/** A conversation whose turn is interrupted at a boundary. */
export interface Sample {
  readonly boundary: Boundary;
  /** Makes its texts and results unique. */
  readonly tag: string;
  readonly conversationId: string;
  /** The pending call of a resumed turn. */
  readonly callId: string | undefined;
  /** The stored items, last read before the kill. */
  readonly known: readonly HistoryItem[];
  /** The response to the interrupted request, or undefined. */
  readonly response: Promise<HttpResponse | undefined>;
}

function script({ waits }: Boundary, tag: string, waitSeconds: number): string {
  const lines: [Line, string][] = [
    ['serverTool', `/say thinking of ${tag} && /complete`],
    ['clientTool', lookup(tag)],
    ['reply', `/say done with ${tag}`],
  ];
  return lines
    .flatMap(([line, command]) => {
      const wait = waits[line];
      return wait === undefined ? [command] : [`/slow ${wait === 'boundary' ? waitSeconds : wait}`, command];
    })
    .join('\n');
}

export function outputOf(tag: string): object {
  return { name: `customer ${tag}`, notes: [1, null, { tag }] };
}

/** A conversation that is ready for the request to interrupt. */
export interface PreparedTurn extends Pick<Sample, 'boundary' | 'tag' | 'conversationId' | 'callId'> {
  readonly script: string;
}

export async function prepare(
  client: Client,
  boundary: Boundary,
  tag: string,
  waitSeconds: number,
): Promise<PreparedTurn> {
  const { body } = await client.agentTurn(`Hello ${tag}`);
  const conversationId: string = body.conversation_id;
  const text = script(boundary, tag, waitSeconds);
  const paused = boundary.resumed ? await pauseTurn(client, conversationId, text) : undefined;
  return { boundary, tag, conversationId, callId: paused?.callId, script: text };
}

/** Sends the request to interrupt and waits until the turn approaches its boundary. */
export async function sendUntilBoundary(client: Client, turn: PreparedTurn): Promise<Sample> {
  const { boundary, conversationId } = turn;
  const before = await readHistory(client, conversationId);
  const response = send(client, turn).catch(() => undefined);
  const known =
    boundary.itemsBefore === null ? before : await until(() => approachingHistory(client, turn), { everyMs: 20 });
  return { ...turn, known: known.items, response: response };
}

function send(client: Client, { conversationId, callId, tag, script: text }: PreparedTurn): Promise<HttpResponse> {
  if (callId) return resume(client, { conversationId, callId }, outputOf(tag));
  return client.agentTurn(text, { conversation_id: conversationId, ...CAPABLE });
}

/**
 * The history while the turn approaches its boundary. On a busy machine, the turn may have crossed it: then it is the
 * history without the items that were stored at the boundary.
 */
async function approachingHistory(
  client: Client,
  { boundary, conversationId }: PreparedTurn,
): Promise<History | false> {
  const before = Number(boundary.itemsBefore);
  const history = await readHistory(client, conversationId);
  const isThere =
    history.items.length > before || (history.run_status === 'running' && history.items.length === before);
  return isThere && { ...history, items: history.items.slice(0, before) };
}
