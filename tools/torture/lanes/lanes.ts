import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../random.ts';
import type { Move, Stage } from '../stage.ts';
import { interruptions, waitingMessages } from './double-texts.ts';
import { oneShots } from './one-shots.ts';
import { resourceWrites } from './resources.ts';
import { streamedReplies } from './streams.ts';
import { triggerRaces } from './triggers.ts';
import { agentTurns, chatTurns } from './turns.ts';

/** Clients by what they do; each goes on once it is answered. */
const LANES: readonly [name: string, clients: number, make: () => (move: Move) => Promise<void>][] = [
  ['agent', 6, agentTurns],
  ['chat', 2, chatTurns],
  ['stream', 2, streamedReplies],
  ['trigger', 1, () => triggerRaces],
  ['once', 1, () => oneShots],
  ['resource', 3, resourceWrites],
  ['wait', 2, () => waitingMessages],
  ['stop', 1, () => interruptions],
];

/** Between two moves of a client, in milliseconds. */
const THINKS_MS = [20, 220] as const;

/** Runs all clients until it is over, and answers how many moves they made. */
export async function runLanes(stage: Stage): Promise<number> {
  const lanes = LANES.flatMap(([kind, clients, make]) =>
    Array.from({ length: clients }, (_, number) => runLane(stage, `${kind}${number}`, make())),
  );
  return (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0);
}

async function runLane(stage: Stage, name: string, makeMove: (move: Move) => Promise<void>): Promise<number> {
  let count = 0;
  for (; !stage.over(); count += 1) {
    const tag = `#${name}-${count}#`;
    const random = new Random(stage.seed, name, count);
    await makeMove({ ...stage, random, tag }).catch((error: Error) => {
      stage.journal.check('clients understand what they are told', false, () => `${tag}: ${error.stack}`);
    });
    await pause(random.between(...THINKS_MS));
  }
  return count;
}
