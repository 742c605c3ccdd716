import { isLoopbackAddress, literalAddressOf } from './address.ts';
import type { GuardSettings } from './guard.ts';
import { createGuardedFetcher, type GuardedResponse, type GuardedStart } from './guarded-fetch.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly bodyTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly onStatus: () => void;
}

interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Sends requests to the webhooks and integrations of workspaces. Their URLs must use https. If loopback is allowed, URLs of
 * this machine can also use http.
 */
export function createWorkspaceAddresses(settings: GuardSettings) {
  const fetcher = createGuardedFetcher(settings);
  return {
    /** Returns why the service does not send requests to an address, in words that are safe to show. Undefined if it does. */
    async problemOf(text: string): Promise<string | undefined> {
      if (!isAllowedAddress(text, settings)) return 'It must be an https URL.';
      return fetcher.checkPublicUrl(text).then(() => undefined, problemIn);
    },

    /** Sends a request and reads the response. Follows redirects of GET requests and checks each target. */
    async request(
      url: string,
      { signal, ...request }: OutgoingRequest,
    ): Promise<GuardedResponse | { readonly problem: string }> {
      try {
        return await fetcher.fetch(url, { ...request, signal, redirects: request.method === 'GET' ? 3 : 0 });
      } catch (error) {
        signal.throwIfAborted();
        return { problem: problemIn(error) };
      }
    },

    /** Sends a message. Follows no redirects and reads only the start of the response. */
    async post(
      url: string,
      message: Message,
    ): Promise<GuardedStart | { readonly problem: string; readonly isRefused: boolean }> {
      const { signal } = message;
      try {
        return await fetcher.fetchStart(url, { method: 'POST', ...message });
      } catch (error) {
        signal.throwIfAborted();
        return { problem: problemIn(error), isRefused: error instanceof GuardedFetchError && error.kind === 'refused' };
      }
    },
  };
}

/** Whether a URL uses https, or plain http to this machine if loopback is allowed. */
export function isAllowedAddress(text: string, { allowLoopback }: GuardSettings): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'http:' && allowLoopback === true && isThisMachine(url);
}

function isThisMachine(url: URL): boolean {
  const literal = literalAddressOf(url);
  return literal === undefined ? url.hostname === 'localhost' : isLoopbackAddress(literal);
}

function problemIn(error: unknown): string {
  if (error instanceof GuardedFetchError) return error.message;
  throw error;
}
