import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import type { GuardedFetcher, GuardedResponse } from '../outbound/guarded-fetch.ts';
import { GuardedFetchError, type GuardedFetchErrorKind } from '../outbound/guarded-fetch-error.ts';
import { isText, plainMediaType } from './media-type.ts';

/** A file that is not available. `message` is the reason, in words for the model. */
export class FileMissingError extends Error {}

/** The content of a file, with the media type that its server reports. */
export interface Download {
  readonly bytes: Uint8Array;
  readonly servedAs: string;
}

/** How a step downloads files. */
export interface DownloadMeans {
  readonly fetcher: GuardedFetcher;
  readonly signal: AbortSignal;
  /** When the step stops waiting for files, in milliseconds of `performance.now()`. */
  readonly deadline: number;
}

const LONGEST_DOWNLOAD_MS = 10_000;

const REASONS: Readonly<Record<GuardedFetchErrorKind, string>> = {
  refused: 'its address is not a public one',
  timeout: 'its address did not answer in time',
  too_large: `it is larger than ${formatBytes(LIMITS.inlineBytes)}`,
  failed: 'its address could not be reached',
  redirect: 'its address redirects to nowhere',
};

/** Downloads a file for a provider that does not. @throws {FileMissingError} or the reason of the signal */
export async function download(url: URL, mediaType: string, means: DownloadMeans): Promise<Download> {
  const { status, headers, body } = await ask(url, means);
  if (status < 200 || status > 299) throw new FileMissingError(`its address answered with status ${status}`);
  if (body.byteLength === 0) throw new FileMissingError('it is empty');
  const servedAs = headers['content-type'] ?? '';
  // Many servers return a web page if a file was removed or needs a login.
  if (plainMediaType(servedAs) === 'text/html' && !isText(mediaType)) {
    throw new FileMissingError('its address answered with a web page');
  }
  return { bytes: body, servedAs };
}

async function ask(url: URL, { fetcher, signal, deadline }: DownloadMeans): Promise<GuardedResponse> {
  const timeoutMs = Math.min(LONGEST_DOWNLOAD_MS, deadline - performance.now());
  if (timeoutMs <= 0) throw new FileMissingError(REASONS.timeout);
  try {
    return await fetcher.fetch(url, { timeoutMs, maxBytes: LIMITS.inlineBytes, redirects: 3, signal });
  } catch (error) {
    if (error instanceof GuardedFetchError) throw new FileMissingError(REASONS[error.kind]);
    throw error;
  }
}
