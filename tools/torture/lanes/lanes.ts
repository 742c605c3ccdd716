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
const LANES: readonly [name: string, make: () => (move: Move) => Promise<void>][] = [
  ['agent', agentTurns],
  ['agent', agentTurns],
  ['agent', agentTurns],
  ['agent', agentTurns],
  ['chat', chatTurns],
  ['chat', chatTurns],
  ['stream', streamedReplies],
  ['trigger', () => triggerRaces],
  ['once', () => oneShots],
  ['resource', resourceWrites],
  ['resource', resourceWrites],
  ['wait', () => waitingMessages],
  ['stop', () => interruptions],
];

/** Between two moves of a client, in milliseconds. */
const THINKS_MS = [20, 220] as const;

/** Runs all clients until it is over, and answers how many moves they made. */
export async function runLanes(stage: Stage): Promise<number> {
  const moves = LANES.map(async ([kind, make], lane) => {
    const makeMove = make();
    let count = 0;
    for (; !stage.over(); count += 1) {
      const tag = `#${kind}${lane}-${count}#`;
      const random = new Random(stage.seed, kind, lane, count);
      await makeMove({ ...stage, random, tag }).catch((error: Error) => {
        stage.journal.check('clients understand what they are told', false, () => `${tag}: ${error.stack}`);
      });
      await pause(random.between(...THINKS_MS));
    }
    return count;
  });
  return (await Promise.all(moves)).reduce((sum, count) => sum + count, 0);
}

export const CLIENTS = LANES.length;
