import type { Response } from 'undici';

/** The start of a body. */
export interface BodyStart {
  readonly body: Uint8Array;
  /** Whether the body is longer, or did not end in time. */
  readonly isCut: boolean;
}

interface Bounds {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const STOPPED = Symbol();

/** Reads the start of the decompressed body. It never fails: a body that is lost is cut. */
export async function readStart({ body }: Response, { maxBytes, timeoutMs, signal }: Bounds): Promise<BodyStart> {
  if (!body) return { body: new Uint8Array(), isCut: false };
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const stopped = new Promise<typeof STOPPED>((resolve) => {
    if (stop.aborted) resolve(STOPPED);
    stop.addEventListener('abort', () => resolve(STOPPED), { once: true });
  });
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const cut = () => ({ body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true });
  try {
    while (size <= maxBytes) {
      const next = await Promise.race([reader.read(), stopped]);
      if (next === STOPPED) return cut();
      if (next.done) return { body: Buffer.concat(chunks), isCut: false };
      chunks.push(next.value as Uint8Array);
      size += chunks.at(-1)?.byteLength ?? 0;
    }
    return cut();
  } catch {
    return cut();
  }
}
