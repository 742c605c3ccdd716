import type { ServerResponse } from 'node:http';

/** A comment goes out this often, so that nothing on the way takes an idle stream for a dead one (WIRE 6). */
const EVERY_S = 15;

/** Streams by the second in which they have their turn: one timer for all, and never all of them at once. */
const turns = Array.from({ length: EVERY_S }, () => new Set<ServerResponse>());

let timer: NodeJS.Timeout | undefined;
let second = 0;
let open = 0;

/** Keeps an idle stream of events open. Answers how to stop. */
export function keepAlive(response: ServerResponse): () => void {
  const turn = turns[open % EVERY_S];
  turn?.add(response);
  open += 1;
  timer ??= setInterval(beat, 1_000).unref();
  return () => {
    if (!turn?.delete(response)) return;
    open -= 1;
    if (open > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function beat(): void {
  second = (second + 1) % EVERY_S;
  // What is waited for to be taken keeps a stream open by itself.
  for (const response of turns[second] ?? []) if (!response.writableNeedDrain) response.write(':\n\n');
}
