import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of chat completions in the process of the client, so that both have the same clock. */
export interface PacedProvider {
  readonly url: string;
  /** What it does with the next requests. `index` counts the ticks of one reply. */
  setPace(pace: Pace): void;
  /** When the first delta of the latest reply was written. */
  firstDeltaAt(): number;
  /** Resolves with the time when the next connection closes before its reply has ended. */
  nextAbort(): Promise<number>;
  close(): void;
}

interface Pace {
  readonly everyMs: number;
  /** The number of tokens of a reply. */
  readonly tokens: number;
}

export async function startPacedProvider(): Promise<PacedProvider> {
  let pace: Pace = { everyMs: 10, tokens: 10 };
  let firstDeltaAt = 0;
  let onAbort: (at: number) => void = () => {};
  const replies = new Map<ServerResponse, number>();
  const provider = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      replies.set(response, 0);
      response.once('close', () => {
        replies.delete(response);
        if (!response.writableFinished) onAbort(performance.now());
      });
    });
  });
  // One timer writes to all streams, so that the provider costs little.
  let timer = setInterval(tick, pace.everyMs);
  function tick(): void {
    for (const [response, count] of replies) {
      if (count === 0) firstDeltaAt = performance.now();
      if (count < pace.tokens) {
        replies.set(response, count + 1);
        response.write(chunk({ delta: { content: `token${count % 10} ` } }));
      } else {
        replies.delete(response);
        response.end(`${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`);
      }
    }
  }
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  return {
    url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
    setPace(next) {
      pace = next;
      clearInterval(timer);
      timer = setInterval(tick, pace.everyMs);
    },
    firstDeltaAt: () => firstDeltaAt,
    nextAbort: () => new Promise((resolve) => (onAbort = resolve)),
    close() {
      clearInterval(timer);
      provider.close();
      provider.closeAllConnections();
    },
  };
}

function chunk(choice: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
}
