import { Agent, type RequestInit, fetch as undiciFetch } from 'undici';
import type { Guard } from './guard.ts';
import { GuardedFetchError, guardErrorIn } from './guarded-fetch-error.ts';
import { type Bounds, inTime } from './in-time.ts';
import { tooLarge } from './read-limited.ts';

/** What all requests of a session together may take. */
export interface SessionBounds extends Bounds {
  /** Bytes of all answers, decompressed. */
  readonly maxBytes: number;
}

/** As the `fetch` of the platform. Answers are streams. */
export type SessionFetch = typeof globalThis.fetch;

/** A body that breaks off, or grows too large, ends the session: whoever reads it might wait for ever. */
export function fetchSession<T>(
  guard: Guard,
  bounds: SessionBounds,
  work: (fetch: SessionFetch) => Promise<T>,
): Promise<T> {
  return inTime(bounds, async (signal, fail) => {
    const agent = new Agent({ connect: { lookup: guard.lookup }, headersTimeout: 0, bodyTimeout: 0 });
    // Work that waits for a stream may never hear of its end.
    signal.addEventListener('abort', () => void agent.destroy(), { once: true });
    const state = { left: bounds.maxBytes, isOver: false };
    try {
      return await work(async (input, init) => {
        const url = guard.readUrl(input instanceof Request ? input.url : input);
        const signals = [signal, ...(init?.signal ? [init.signal] : [])];
        // The platform's types and undici's own are the same in all that is used of them.
        const request = { ...(init as RequestInit), redirect: 'manual', signal: AbortSignal.any(signals) } as const;
        const { status, headers, body } = await undiciFetch(url, { ...request, dispatcher: agent });
        const source = body as ReadableStream<Uint8Array> | null;
        const { readable, writable } = limit(state, bounds.maxBytes);
        source?.pipeTo(writable).catch((fault: unknown) => {
          // A reader that wants no more of it says so without an error.
          if (state.isOver || request.signal.aborted || !(fault instanceof Error)) return;
          fail(guardErrorIn(fault) ?? brokenOff(fault));
        });
        return new Response(source && readable, { status, headers: [...headers] });
      });
    } finally {
      state.isOver = true;
      await agent.destroy();
    }
  });
}

function limit(state: { left: number }, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      state.left -= chunk.byteLength;
      if (state.left < 0) throw tooLarge(maxBytes);
      controller.enqueue(chunk);
    },
  });
}

function brokenOff(fault: unknown): GuardedFetchError {
  return new GuardedFetchError('failed', 'The connection broke off.', fault);
}
