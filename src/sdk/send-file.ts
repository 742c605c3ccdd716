import { abortedError, asParleyError, ParleyError } from './error.ts';
import { errorOf } from './http.ts';
import type { Settings } from './options.ts';
import { backoffMs, pause } from './pause.ts';

/** An upload as the service describes it. */
export interface Upload {
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the service itself takes the bytes, in several requests if necessary. */
  readonly resumable: boolean;
}

const MIB = 1024 * 1024;

/** Requests of one upload. More of them show the progress better, and lose less when a connection breaks. */
const REQUESTS = 100;

/** The progress of an upload. */
export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

interface Options {
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends the bytes of a file to a signed URL, which needs no credentials. @throws {ParleyError} */
export async function sendFile(settings: Settings, upload: Upload, file: Blob, options: Options): Promise<void> {
  const totalBytes = file.size;
  const report = (sentBytes: number) => options.onProgress?.({ sentBytes, totalBytes });
  report(0);
  if (!upload.resumable) {
    await send(settings, upload.url, upload, file, options);
    return report(totalBytes);
  }
  // The service as this client reaches it, which can differ from its public address.
  const url = `${settings.baseUrl}/v1/uploads/${upload.id}${new URL(upload.url).search}`;
  const step = Math.min(16 * MIB, Math.max(MIB, Math.ceil(totalBytes / REQUESTS)));
  let offset = 0;
  for (let attempt = 0; offset < totalBytes; ) {
    try {
      const bytes = file.slice(offset, offset + step);
      const response = await send(settings, url, upload, bytes, options, { 'upload-offset': String(offset) });
      offset = offsetIn(response);
      attempt = 0;
      report(offset);
    } catch (thrown) {
      const error = asParleyError(thrown);
      if (options.signal?.aborted || attempt >= settings.maxRetries || !canContinue(error)) throw error;
      const seconds = error.details.retry_after;
      await pause(typeof seconds === 'number' ? seconds * 1_000 : backoffMs(attempt), options.signal);
      attempt += 1;
      // If this fails too, the next request fails as well.
      offset = await standOf(settings, url, options).catch(() => offset);
    }
  }
}

/** The service has fewer or more bytes than this client believes, or did not get the request. */
function canContinue({ code, status }: ParleyError): boolean {
  if (code === 'insufficient_storage') return false;
  return (
    ['connection_error', 'precondition_failed', 'request_in_progress'].includes(code) || status === 429 || status >= 500
  );
}

async function standOf(settings: Settings, url: string, { signal }: Options): Promise<number> {
  return offsetIn(await settings.fetch(url, { method: 'HEAD', credentials: 'omit', ...(signal && { signal }) }));
}

function offsetIn({ headers, status }: Response): number {
  const text = headers.get('upload-offset');
  if (text !== null && /^\d+$/.test(text)) return Number(text);
  const message = 'The response has no Upload-Offset. Check that baseUrl is the URL of a Parley service.';
  throw new ParleyError({ code: 'invalid_response', message, status });
}

async function send(
  settings: Settings,
  url: string,
  { headers }: Upload,
  body: Blob,
  { signal }: Options,
  further: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const init = { method: 'PUT', body, credentials: 'omit', headers: { ...headers, ...further } } as const;
  const response = await settings.fetch(url, { ...init, ...(signal && { signal }) }).catch((cause: unknown) => {
    throw signal?.aborted ? abortedError(cause) : asParleyError(cause, url);
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}
