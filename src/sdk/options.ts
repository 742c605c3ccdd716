import { ParleyError } from './error.ts';

/** How a client reaches the service. */
export interface ClientOptions {
  /** Where the service is, like `https://parley.example.com`; a path in front of `/v1` is kept. */
  readonly baseUrl: string;
  /** An API key, or a session token, sent as a bearer. Servers only: a page shows it to everybody. */
  readonly apiKey?: string | undefined;
  /** The deployment that is talked to; needed by everything but reads of messages. */
  readonly deploymentId?: string | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Whether cookies go along, as in `fetch`. Default: the browser's own, `same-origin`. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** Says that the key may be seen by whoever opens the page: no warning then. */
  readonly dangerouslyAllowBrowserApiKey?: boolean | undefined;
}

/** Options as the rest of the SDK needs them. */
export interface Settings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly credentials: 'omit' | 'same-origin' | 'include';
  /** @throws {ParleyError} invalid_call where the client was made without one */
  deploymentId(): string;
}

let warned = false;

/** @throws {ParleyError} invalid_call where an option cannot be used */
export function readOptions(options: ClientOptions): Settings {
  const { baseUrl, apiKey, deploymentId, credentials = 'same-origin' } = options;
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl)) {
    throw new ParleyError({
      code: 'invalid_call',
      message: 'baseUrl must be an http or https address.',
      param: 'baseUrl',
    });
  }
  if (apiKey && !options.dangerouslyAllowBrowserApiKey) warnInBrowser();
  const { fetch } = options;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
    // Looked up at each call: a browser's fetch must not be taken from its window, and pages replace it.
    fetch: fetch ? (...args) => fetch(...args) : (...args) => globalThis.fetch(...args),
    credentials,
    deploymentId() {
      if (deploymentId) return deploymentId;
      throw new ParleyError({
        code: 'invalid_call',
        message: 'Give createClient a deploymentId for this.',
        param: 'deploymentId',
      });
    },
  };
}

function warnInBrowser(): void {
  if (warned || !('document' in globalThis)) return;
  warned = true;
  console.warn(
    'Parley: an API key in a page can be read and used by everybody who opens it. Use a public deployment or your own ' +
      'backend, or set dangerouslyAllowBrowserApiKey.',
  );
}
