import type { Environment } from './location.ts';
import { failureOf } from './request-error.ts';

/** The last line of an export. A file without it is incomplete. */
const LAST_LINE = /\{"type":"end",[^\n]*\}\n?$/;

/** How much of the file's end is searched for the last line. */
const TAIL_BYTES = 4_096;

/**
 * Fetches the export of an environment or of one conversation, as newline-delimited JSON. A plain link would not work,
 * because it cannot send the environment's header.
 * @throws {Error} with a message for the user if the export fails or is incomplete; AbortError if `signal` aborts it
 */
export async function fetchExport(
  path: `/v1/${string}`,
  environment: Environment,
  { signal, onProgress }: { readonly signal?: AbortSignal; readonly onProgress?: (bytes: number) => void } = {},
): Promise<Blob> {
  const response = await fetch(path, { headers: { 'x-environment': environment }, ...(signal && { signal }) });
  if (!response.ok || !response.body) throw new Error(await failureOf(response, 'The export'));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of response.body as ReadableStream<Uint8Array<ArrayBuffer>>) {
    parts.push(part);
    bytes += part.length;
    onProgress?.(bytes);
  }
  const whole = new Blob(parts, { type: 'application/x-ndjson' });
  if (LAST_LINE.test(await whole.slice(-TAIL_BYTES).text())) return whole;
  throw new Error('The export is incomplete because the connection was lost. Try again.');
}
