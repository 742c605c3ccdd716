import { Agent, type RequestInit, fetch as undiciFetch } from 'undici';
import type { TimeBounds } from '../bounds/within-time.ts';
import type { Guard } from './guard.ts';
import { findGuardError, GuardedFetchError } from './guarded-fetch-error.ts';
import { tooLarge } from './read-limited.ts';
import { withTimeLimit } from './time-limit.ts';

/** The limits of all requests of a session together. */
export interface SessionBounds extends TimeBounds {
  /** The total size limit of the decompressed responses. */
  readonly maxBytes: number;
  /** Makes a check of a response, which gets its decompressed chunks. Why the response is refused, if it is. */
  readonly startCheck?: () => (chunk: Uint8Array) => string | undefined;
  /** The reader of a body that is cut off notices it and can ask for the rest. */
  readonly isResumable?: boolean;
}

/** The limit of open connections of a session: one for a response that is streamed, and others for requests next to it. */
const CONNECTIONS = 4;

/** Works like the global `fetch`. Response bodies are streams. */
export type SessionFetch = typeof globalThis.fetch;

/** A body that is too large or cut off ends the session, because its reader could wait without a limit. */
export function fetchSession<T>(
  guard: Guard,
  bounds: SessionBounds,
  work: (fetch: SessionFetch) => Promise<T>,
): Promise<T> {
  return withTimeLimit(bounds, async (signal, fail) => {
    const agent = new Agent({
      connect: { lookup: guard.lookup },
      // A server could make its client send any number of requests at once.
      connections: CONNECTIONS,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // `work` may not notice the abort while it waits for a stream.
    signal.addEventListener('abort', () => void agent.destroy(), { once: true });
    const state = { bytesLeft: bounds.maxBytes, isEnded: false };
    try {
      return await work(async (input, init) => {
        const url = guard.parseUrl(input instanceof Request ? input.url : input);
        const signals = [signal, ...(init?.signal ? [init.signal] : [])];
        // The types of the platform and of undici do not differ in the properties that are used.
        const request = { ...(init as RequestInit), redirect: 'manual', signal: AbortSignal.any(signals) } as const;
        const { status, headers, body } = await undiciFetch(url, { ...request, dispatcher: agent });
        const source = body as ReadableStream<Uint8Array> | null;
        const { readable, writable } = limit(state, bounds);
        source?.pipeTo(writable).catch((error: unknown) => {
          // A reader that cancels the body causes no Error.
          if (state.isEnded || request.signal.aborted || !(error instanceof Error)) return;
          const guardError = findGuardError(error);
          if (guardError || !bounds.isResumable) fail(guardError ?? connectionLost(error));
        });
        return new Response(source && readable, { status, headers: [...headers] });
      });
    } finally {
      state.isEnded = true;
      await agent.destroy();
    }
  });
}

function limit(
  state: { bytesLeft: number },
  { maxBytes, startCheck }: SessionBounds,
): TransformStream<Uint8Array, Uint8Array> {
  const check = startCheck?.();
  return new TransformStream({
    transform(chunk, controller) {
      state.bytesLeft -= chunk.byteLength;
      if (state.bytesLeft < 0) throw tooLarge(maxBytes);
      const problem = check?.(chunk);
      if (problem !== undefined) throw new GuardedFetchError('too_large', problem);
      controller.enqueue(chunk);
    },
  });
}

function connectionLost(cause: unknown): GuardedFetchError {
  return new GuardedFetchError('failed', 'The connection was lost.', cause);
}
