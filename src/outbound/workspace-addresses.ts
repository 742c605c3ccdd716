import { isLoopbackAddress, literalAddressOf } from './address.ts';
import type { GuardSettings } from './guard.ts';
import { createGuardedFetcher, type GuardedAnswer } from './guarded-fetch.ts';
import { GuardedFetchError } from './guarded-fetch-error.ts';

/** A message to an address. */
interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What an address is asked. */
interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Addresses that a workspace has written down for itself, of its webhooks and integrations: https alone, but for this
 * machine where it may be gone to.
 */
export function createWorkspaceAddresses(settings: GuardSettings) {
  const fetcher = createGuardedFetcher(settings);
  return {
    /** Why this service does not go to an address, in words that may be shown; undefined where it does. */
    async problemOf(text: string): Promise<string | undefined> {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      const mayBeHttp = settings.allowLoopback === true && url !== undefined && isThisMachine(url);
      if (url?.protocol !== 'https:' && !(mayBeHttp && url.protocol === 'http:')) return 'It must be an https URL.';
      return messageOf(fetcher.checkPublicUrl(url));
    },

    /** Asks for an answer, of at most `maxBytes`. Redirects of a GET are followed, each checked as the address is. */
    async ask(url: string, { signal, ...question }: Question): Promise<GuardedAnswer | { readonly problem: string }> {
      try {
        return await fetcher.fetch(url, { ...question, signal, redirects: question.method === 'GET' ? 3 : 0 });
      } catch (fault) {
        signal.throwIfAborted();
        return { problem: problemIn(fault) };
      }
    },

    /** Posts a message, follows no redirect, and reads nothing of the answer but its status. */
    async post(url: string, message: Message): Promise<{ readonly status: number } | { readonly problem: string }> {
      const { signal } = message;
      try {
        const { status } = await fetcher.fetch(url, { method: 'POST', ...message, maxBytes: 0 });
        return { status };
      } catch (fault) {
        signal.throwIfAborted();
        return { problem: problemIn(fault) };
      }
    },
  };
}

function isThisMachine(url: URL): boolean {
  const literal = literalAddressOf(url);
  return literal === undefined ? url.hostname === 'localhost' : isLoopbackAddress(literal);
}

function messageOf(check: Promise<void>): Promise<string | undefined> {
  return check.then(() => undefined, problemIn);
}

function problemIn(fault: unknown): string {
  if (fault instanceof GuardedFetchError) return fault.message;
  throw fault;
}
