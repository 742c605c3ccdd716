import { type ChallengeSolver, Challenges } from './challenge.ts';
import { callOption, invalidCall, type ParleyError } from './error.ts';
import { fetchWithToken, type TokenSource } from './token.ts';

/** Headers, or a function that returns them. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** The URL of the service, like `https://parley.example.com`. It may have a path in front of `/v1`. */
  readonly baseUrl: string;
  /** An API key or a session token, sent as a bearer token. For servers only: everyone who opens a page can read it. */
  readonly apiKey?: string | undefined;
  /**
   * Returns a token of the user, from your own server: a text, or the text with its expiry. It is called before the first
   * request, before the token expires, and once after a 401. It takes precedence over `apiKey` and `headers`.
   */
  readonly getToken?: TokenSource | undefined;
  /** The ID of the deployment. Required by every method except `conversation.loadMessages` and `files`. */
  readonly deploymentId?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Whether requests send cookies, as in `fetch`. Default: `same-origin`. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /**
   * Further headers of each request and connection. A function is called for each of them, so that it can return a fresh
   * token. They take precedence over `apiKey`.
   */
  readonly headers?: HeaderSource | undefined;
  /**
   * Milliseconds until a request fails with `timeout`, including its retries. Not for streams and live updates. A turn
   * continues on the server. Default: no limit.
   */
  readonly timeout?: number | undefined;
  /** How often a request is sent again after a connection error, 429 or 5xx. Default: 8, which takes about 15 s. */
  readonly maxRetries?: number | undefined;
  /**
   * Solves the challenge of a provider, such as a CAPTCHA, if a public deployment demands one. It shows the challenge and
   * returns the provider's response. The client solves a proof of work itself.
   */
  readonly solveChallenge?: ChallengeSolver | undefined;
  /** Turns off the warning about an API key in a browser. Default: false. */
  readonly dangerouslyAllowBrowserApiKey?: boolean | undefined;
}

/** Checked options. */
export interface Settings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly timeout: number | undefined;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch;
  readonly credentials: 'omit' | 'same-origin' | 'include';
  readonly challenges: Challenges;
  /** The deployment, if the client has one. */
  readonly deployment: string | undefined;
  /** @throws {ParleyError} `invalid_call` if the client has no deployment */
  deploymentId(): string;
}

let warned = false;

/** @throws {ParleyError} `invalid_call` if an option is invalid */
export function readOptions(options: Partial<ClientOptions> = {}): Settings {
  const { baseUrl, apiKey, deploymentId, fetch, credentials = 'same-origin', timeout, maxRetries = 8 } = options;
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl)) {
    throw invalid('baseUrl', 'start with http:// or https://', baseUrl);
  }
  if (timeout !== undefined && !(timeout > 0)) throw invalid('timeout', 'be more than 0 milliseconds', timeout);
  if (!Number.isInteger(maxRetries) || maxRetries < 0) throw invalid('maxRetries', 'be 0 or more', maxRetries);
  // Looked up at each call: pages may replace fetch, and a browser's fetch fails when it is called as a method.
  const send: typeof globalThis.fetch = fetch ? (...args) => fetch(...args) : (...args) => globalThis.fetch(...args);
  const own = {
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    // A token of the user's own provider does not say which service it is for.
    ...(options.getToken && deploymentId && { 'x-deployment': deploymentId }),
  };
  if (apiKey && !options.dangerouslyAllowBrowserApiKey) warnInBrowser();
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: async () => ({ ...own, ...lowerCased(await readHeaders(options.headers)) }),
    timeout,
    maxRetries,
    fetch: options.getToken ? fetchWithToken(send, options.getToken) : send,
    credentials,
    challenges: new Challenges(options.solveChallenge),
    deployment: deploymentId,
    deploymentId() {
      if (deploymentId) return deploymentId;
      throw invalidCall('This method needs the option deploymentId of createClient.', 'deploymentId');
    },
  };
}

/** The headers of a source now. @throws {ParleyError} `headers_failed` */
export async function readHeaders(source: HeaderSource | undefined): Promise<Readonly<Record<string, string>>> {
  return typeof source === 'function' ? callOption('headers_failed', 'headers', source) : (source ?? {});
}

/** Otherwise `Authorization` and `authorization` would be sent as one header with two values. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function invalid(param: keyof ClientOptions, rule: string, value: unknown): ParleyError {
  return invalidCall(`The option ${param} of createClient must ${rule}. You passed ${String(value)}.`, param);
}

function warnInBrowser(): void {
  if (warned || !('document' in globalThis)) return;
  warned = true;
  console.warn(
    'Parley: everyone who opens this page can read its API key. Set dangerouslyAllowBrowserApiKey to allow it.',
  );
}
