import { setTimeout as pause } from 'node:timers/promises';
import type { Action, TortureContext } from '../context.ts';
import { Random } from '../random.ts';
import { actionTurns } from './action-turns.ts';
import { branchedTurns } from './branched-turns.ts';
import { interruptions, queuedMessages } from './double-texts.ts';
import { handOvers } from './hand-overs.ts';
import { oneShots } from './one-shots.ts';
import { resourceWrites } from './resources.ts';
import { streamedReplies } from './streams.ts';
import { triggerRaces } from './triggers.ts';
import { agentTurns, chatTurns } from './turns.ts';
import { longTurns, watchedTurns } from './watched-turns.ts';

/** Clients by activity. Each continues when it has its response. */
const LANES: readonly [name: string, clients: number, make: () => (move: Action) => Promise<void>][] = [
  ['agent', 6, agentTurns],
  ['chat', 2, chatTurns],
  ['stream', 2, streamedReplies],
  ['trigger', 1, () => triggerRaces],
  ['once', 1, () => oneShots],
  ['branch', 3, branchedTurns],
  ['resource', 3, resourceWrites],
  ['wait', 2, () => queuedMessages],
  ['stop', 1, () => interruptions],
  ['watch', 3, () => watchedTurns],
  ['long', 4, () => longTurns],
  ['person', 3, () => handOvers],
];

/** Only turns of conversations. The receiver of the actions checks that no action runs twice. */
const CONTINUED_LANES: typeof LANES = [
  ['action', 8, actionTurns],
  ['agent', 3, agentTurns],
  ['chat', 1, chatTurns],
  ['stream', 1, streamedReplies],
  ['trigger', 1, () => triggerRaces],
  ['branch', 2, branchedTurns],
  ['wait', 2, () => queuedMessages],
  ['stop', 1, () => interruptions],
  ['watch', 1, () => watchedTurns],
  ['long', 4, () => longTurns],
  ['person', 6, () => handOvers],
];

/** The pause between two actions of a client, in milliseconds. */
const PAUSE_MS = [20, 220] as const;

/** Runs all clients until the end. Returns the number of their actions. */
export async function runLanes(context: TortureContext): Promise<number> {
  const lanes = (context.recovery === 'continue' ? CONTINUED_LANES : LANES).flatMap(([kind, clients, make]) =>
    Array.from({ length: clients }, (_, number) => runLane(context, `${kind}${number}`, make())),
  );
  return (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0);
}

async function runLane(
  context: TortureContext,
  name: string,
  runAction: (move: Action) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (; !context.isOver(); count += 1) {
    const tag = `#${name}-${count}#`;
    const random = new Random(context.seed, name, count);
    await runAction({ ...context, random, tag }).catch((error: Error) => {
      context.journal.check('clients understand every response', false, () => `${tag}: ${error.stack}`);
    });
    await pause(random.between(...PAUSE_MS));
  }
  return count;
}
