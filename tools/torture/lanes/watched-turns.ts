import { setTimeout as pause } from 'node:timers/promises';
import { textContent } from '../../../test/support/agent-apis.ts';
import type { Action } from '../context.ts';
import { Random } from '../random.ts';
import { TurnWatcher } from '../turn-watcher.ts';
import { settle } from './conversation.ts';
import { sendMessage, startConversation } from './double-texts.ts';

/** Watchers of one turn. */
const WATCHERS = 5;

const WORDS = 60;

/** A text that takes longer than a process waits for it after SIGTERM. */
const LONG_WORDS = 300;

/** How long a watcher can take to see the end of a turn that has ended: some restarts of an only process. */
const SEEN_WITHIN_MS = 60_000;

/** How long a watcher stays at one process. */
const STAY_MS = [60, 1_500] as const;

/** A turn whose watchers leave and come back at other processes, while these are killed. */
export function watchedTurns(action: Action): Promise<void> {
  return watchTurn(action, WORDS);
}

/** A turn that is still streamed when its process has to hand it over, in the background or for a client that waits. */
export async function longTurns(action: Action): Promise<void> {
  if (action.random.chance(0.3)) return watchTurn(action, LONG_WORDS);
  const { caller, journal, random, deployments, tag } = action;
  const call = {
    kind: 'long background turn',
    method: 'POST',
    path: `/v2/runner/${deployments.agent}/conversation`,
    body: { content: textContent(`/slow 6\n/say done ${tag}`) },
    expectedCodes: ['model_error'],
    background: true,
  } as const;
  const response = await caller.sendOnce(call, random.index(3));
  const id: string | undefined = response?.body.conversation_id;
  const outcome = id ? 'accepted' : response ? 'rejected' : 'lost';
  journal.turns.push({ tag, outcome, conversationId: id, attempts: 1 });
  if (!id) return;
  journal.conversations.set(id, deployments.agent);
  await settle(action, { id, deploymentId: deployments.agent, completed: false, uncertain: true });
}

async function watchTurn(action: Action, count: number): Promise<void> {
  const known = await startConversation(action, action.deployments.agent);
  if (!known) return;
  const over = new AbortController();
  const watchers = Array.from({ length: WATCHERS }, () => new TurnWatcher(action.journal, known.id));
  const watching = watchers.map((watcher, number) =>
    follow(action, watcher, new Random(action.seed, action.tag, number), over.signal),
  );
  // Most watchers are connected when the turn starts.
  await pause(100);
  const words = Array.from({ length: count }, (_, index) => `wörd${index}`).join(' ');
  const tag = action.tag.replace(/#$/, '.1#');
  const response = await sendMessage(action, known, `/say ${words} ${tag}`, tag);
  const isRejected = response && response.status !== 200 && response.status !== 502;
  // The process died: another one ends the turn, or it was never accepted.
  if (!response) await settle(action, known);
  const patience = setTimeout(() => over.abort(), isRejected ? 0 : SEEN_WITHIN_MS);
  await Promise.all(watching);
  clearTimeout(patience);
  for (const watcher of watchers) watcher.check();
}

/** Watches at one process after another until the end of the turn. */
async function follow(action: Action, watcher: TurnWatcher, random: Random, over: AbortSignal): Promise<void> {
  while (!watcher.hasEnded && !over.aborted) {
    const client = await action.fleet.client(random.index(3));
    await watcher.watchAt(client, random.between(...STAY_MS), over);
  }
}
