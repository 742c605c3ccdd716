import type { Environment } from './location.ts';

/** What an export says last of itself: an export without it was broken off. */
const LAST_LINE = /\{"type":"end",[^\n]*\}\n?$/;

/** How much of the end is looked at. */
const TAIL_BYTES = 4_096;

/**
 * What is kept of an environment, or of something in it, as lines of JSON. Fetched by a script, for a link cannot say which environment.
 * @throws {Error} in words for people, where it was refused or broken off; AbortError where `signal` ended it
 */
export async function fetchExport(
  path: `/v1/${string}`,
  environment: Environment,
  { signal, onProgress }: { readonly signal?: AbortSignal; readonly onProgress?: (bytes: number) => void } = {},
): Promise<Blob> {
  const response = await fetch(path, { headers: { 'x-environment': environment }, ...(signal && { signal }) });
  if (!response.ok || !response.body) throw new Error(await reasonOf(response));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of response.body as ReadableStream<Uint8Array<ArrayBuffer>>) {
    parts.push(part);
    bytes += part.length;
    onProgress?.(bytes);
  }
  const whole = new Blob(parts, { type: 'application/x-ndjson' });
  if (LAST_LINE.test(await whole.slice(-TAIL_BYTES).text())) return whole;
  throw new Error('The export was broken off before its end. Try again.');
}

async function reasonOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { readonly error?: { readonly message?: string } };
    if (error?.message) return error.message;
  } catch {
    // No answer of the service's own: something between it and here has spoken.
  }
  return `The export was refused with the status ${response.status}.`;
}
