import { CAPABLE, type History, type HistoryItem, lookup, pauseTurn, readHistory, resume } from './agent-turns.ts';
import type { Answer, Client } from './client.ts';
import { until } from './until.ts';

/** Lines of the tool turn: a server tool, a client tool, and after the resume the reply. */
type Line = 'serverTool' | 'clientTool' | 'reply';

/** Longer than any test: its process is killed before. */
const FOREVER = 60;

/** A place between two steps of a tool turn at which a process may die. */
export interface Boundary {
  readonly name: string;
  /** The turn is brought to its pause first, and the request that is cut is its resume. */
  readonly resumed: boolean;
  /** The model steps before which the turn waits: for the boundary, or a time so that it goes no further. */
  readonly waits: Partial<Record<Line, 'boundary' | number>>;
  /** Items of the timeline while the turn is on its way to the boundary; null where a request begins with it. */
  readonly itemsOnTheWay: number | null;
  /** The latest run's status and the items more, where the statement at the boundary was not stored. */
  readonly undone: string;
  /** The same where it was. Equal to `undone` where the model is at work, and so no statement. */
  readonly kept: string;
}

const WAITING = 'waiting_for_client_action';

export const BOUNDARIES: readonly Boundary[] = [
  {
    name: 'accepted',
    resumed: false,
    waits: { serverTool: FOREVER },
    itemsOnTheWay: null,
    undone: 'completed +0',
    kept: 'failed +1',
  },
  {
    name: 'model called',
    resumed: false,
    waits: { serverTool: FOREVER },
    itemsOnTheWay: 3,
    undone: 'failed +0',
    kept: 'failed +0',
  },
  {
    name: 'server tool run',
    resumed: false,
    waits: { serverTool: 'boundary', clientTool: FOREVER },
    itemsOnTheWay: 3,
    undone: 'failed +0',
    kept: 'failed +2',
  },
  {
    name: 'paused',
    resumed: false,
    waits: { clientTool: 'boundary' },
    itemsOnTheWay: 5,
    undone: 'failed +0',
    kept: `${WAITING} +1`,
  },
  {
    name: 'results accepted',
    resumed: true,
    waits: { reply: 2 },
    itemsOnTheWay: null,
    undone: `${WAITING} +0`,
    kept: 'interrupted +0',
  },
  {
    name: 'model called again',
    resumed: true,
    waits: { reply: FOREVER },
    itemsOnTheWay: 6,
    undone: 'interrupted +0',
    kept: 'interrupted +0',
  },
  {
    name: 'settling',
    resumed: true,
    waits: { reply: 'boundary' },
    itemsOnTheWay: 6,
    undone: 'interrupted +0',
    kept: 'completed +1',
  },
];

/** A conversation whose turn is to be cut at a boundary. */
export interface Sample {
  readonly boundary: Boundary;
  /** Makes its texts and results unlike all others. */
  readonly tag: string;
  readonly conversationId: string;
  /** The pending call of a turn that is resumed. */
  readonly callId: string | undefined;
  /** What the service is known to have stored, last read before the kill. */
  readonly known: readonly HistoryItem[];
  /** The answer to the request that is cut; undefined where there was none. */
  readonly answer: Promise<Answer | undefined>;
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

/** A conversation that stands where the request to be cut comes next. */
export interface Stand extends Pick<Sample, 'boundary' | 'tag' | 'conversationId' | 'callId'> {
  readonly script: string;
}

export async function prepare(client: Client, boundary: Boundary, tag: string, waitSeconds: number): Promise<Stand> {
  const { body } = await client.agentTurn(`Hello ${tag}`);
  const conversationId: string = body.conversation_id;
  const text = script(boundary, tag, waitSeconds);
  const paused = boundary.resumed ? await pauseTurn(client, conversationId, text) : undefined;
  return { boundary, tag, conversationId, callId: paused?.callId, script: text };
}

/** Sends the request that is to be cut, and waits until the turn is on its way to its boundary. */
export async function approach(client: Client, stand: Stand): Promise<Sample> {
  const { boundary, conversationId } = stand;
  const before = await readHistory(client, conversationId);
  const answer = send(client, stand).catch(() => undefined);
  const known = boundary.itemsOnTheWay === null ? before : await until(() => onItsWay(client, stand), { everyMs: 20 });
  return { ...stand, known: known.items, answer };
}

function send(client: Client, { conversationId, callId, tag, script: text }: Stand): Promise<Answer> {
  if (callId) return resume(client, { conversationId, callId }, outputOf(tag));
  return client.agentTurn(text, { conversation_id: conversationId, ...CAPABLE });
}

async function onItsWay(client: Client, { boundary, conversationId }: Stand): Promise<History | false> {
  const read = await readHistory(client, conversationId);
  return read.run_status === 'running' && read.items.length === boundary.itemsOnTheWay && read;
}
