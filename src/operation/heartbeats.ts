import type { ServerResponse } from 'node:http';

/** Seconds between two heartbeats on an idle stream, so that proxies do not close it. */
const INTERVAL_S = 15;

/** Streams by the second of their heartbeat. One timer serves all streams and spreads the writes over the interval. */
const slots = Array.from({ length: INTERVAL_S }, () => new Map<ServerResponse, Buffer>());

let timer: NodeJS.Timeout | undefined;
let second = 0;
let open = 0;

/** The heartbeat of server-sent events: an empty comment. */
const COMMENT = Buffer.from(':\n\n');

/** Sends heartbeats on a stream. Returns a function that stops them. */
export function keepAlive(response: ServerResponse, heartbeat: Buffer = COMMENT): () => void {
  const slot = slots[open % INTERVAL_S];
  slot?.set(response, heartbeat);
  open += 1;
  timer ??= setInterval(beat, 1_000).unref();
  return () => {
    if (!slot?.delete(response)) return;
    open -= 1;
    if (open > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function beat(): void {
  second = (second + 1) % INTERVAL_S;
  for (const [response, heartbeat] of slots[second] ?? []) if (needsHeartbeat(response)) response.write(heartbeat);
}

/** A stream with unread data needs no heartbeat, and a connection that is closing takes no heartbeat. */
function needsHeartbeat({ socket, writableNeedDrain }: ServerResponse): boolean {
  return !writableNeedDrain && !socket?.writableNeedDrain && !socket?.writableEnded;
}
