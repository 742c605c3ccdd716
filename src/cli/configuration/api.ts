import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { enumValueOf } from '../../contract/enum-names.ts';
import { ENVIRONMENT_KINDS } from '../../contract/statuses.ts';
import { CommandError, type ParsedOptions } from '../options.ts';
import type { Terminal } from '../terminal.ts';

/** A response with an error. `code` is one of the service's error codes. */
export class ApiError extends CommandError {
  readonly code: string;
  readonly path: readonly string[];

  /** `name` is the code as GraphQL writes it. */
  constructor(name: string, message: string, path: readonly string[] = []) {
    super(message);
    this.name = 'ApiError';
    this.code = enumValueOf(name);
    this.path = path;
  }
}

interface GraphqlError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

interface GraphqlResponse {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly GraphqlError[];
}

const ATTEMPTS = 5;
const LONGEST_PAUSE_SECONDS = 60;
const REQUEST_TIMEOUT_MS = 60_000;
const KEY_PATTERN = /^sk_(live|test)_/;

/** Statuses after which the same request can succeed. 409: the first attempt with its key is still running. */
const RETRIED: ReadonlySet<number> = new Set([409, 429, 502, 503, 504]);

/** The GraphQL API of the service that PARLEY_URL names. */
export class Api {
  readonly #url: URL;
  readonly #token: string;
  readonly environment: string;

  constructor(url: URL, token: string, environment: string) {
    this.#url = url;
    this.#token = token;
    this.environment = environment;
  }

  get origin(): string {
    return this.#url.origin;
  }

  /** The masked form in which the API lists the key of this client. */
  get maskedKey(): string | undefined {
    return KEY_PATTERN.test(this.#token) ? `sk_${this.environment}_…${this.#token.slice(-4)}` : undefined;
  }

  async query<Data>(document: string, variables: object = {}): Promise<Data> {
    return (await this.#send({ query: document, variables })) as Data;
  }

  /** Reads all pages of a connection. */
  async all<Node>(field: string, selection: string, pageSize: number): Promise<Node[]> {
    type Page = { readonly nodes: Node[]; readonly pageInfo: { hasNextPage: boolean; endCursor: string | null } };
    const document = `query All($first: Int!, $after: String) {
      ${field}(first: $first, after: $after) { nodes ${selection} pageInfo { hasNextPage endCursor } } }`;
    const nodes: Node[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { [field]: page } = await this.query<Record<string, Page>>(document, { first: pageSize, after });
      nodes.push(...(page?.nodes ?? []));
      after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    }
    return nodes;
  }

  /** Runs a mutation. A lost response is repeated under the same key, so it has one effect. @throws {ApiError} */
  async mutate<Payload>(field: string, input: object | undefined, selection: string): Promise<Payload> {
    const type = field.charAt(0).toUpperCase() + field.slice(1);
    const [variables, argument] = input ? [`($input: ${type}Input!)`, '(input: $input)'] : ['', ''];
    const document = `mutation Apply${variables} { ${field}${argument} {
      __typename ... on ${type}Payload ${selection}
      ... on Error { code message path } ... on BreakingChange { changes } } }`;
    const isRefusable = document.replace(' ... on BreakingChange { changes }', '');
    const text = field === 'publishDocument' ? document : isRefusable;
    const data = await this.#send({ query: text, variables: input ? { input } : {} }, randomUUID());
    const result = data[field] as Readonly<Record<string, unknown>>;
    if (result.__typename === `${type}Payload`) return result as Payload;
    const { code, message, path, changes } = result;
    const list = Array.isArray(changes) ? changes.map((change) => `\n  ${change}`).join('') : '';
    throw new ApiError(String(code), `${message}${list}`, Array.isArray(path) ? path.map(String) : []);
  }

  /** Reads a public file of the service. */
  async file(path: string): Promise<Buffer> {
    const response = await this.#fetch(new URL(path, this.#url), {});
    if (!response.ok) throw new CommandError(`${path} responds with status ${response.status}. Try again.`);
    return Buffer.from(await response.arrayBuffer());
  }

  async #send(body: object, idempotencyKey?: string): Promise<Readonly<Record<string, unknown>>> {
    const init: RequestInit = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: 'application/json',
        'content-type': 'application/json',
        ...(!this.maskedKey && { 'x-environment': this.environment }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
    };
    const response = await this.#fetch(new URL('graphql', this.#url), init);
    const { data, errors } = await jsonOf(response);
    const [first] = errors ?? [];
    if (!first && data) return data;
    if (!first) throw new CommandError(`PARLEY_URL responds with status ${response.status}. Check the address.`);
    const code = first.extensions?.code ?? '';
    if (code === 'UNAUTHORIZED') {
      throw new ApiError(code, 'PARLEY_API_KEY is not valid at this service. Check the key, and PARLEY_URL.');
    }
    throw new ApiError(code, first.message);
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#attempt(url, init).catch((error: unknown) => {
        if (attempt >= ATTEMPTS || isPermanent(error)) throw unreachable(error);
        return undefined;
      });
      if (response && (!RETRIED.has(response.status) || attempt >= ATTEMPTS)) return response;
      const seconds = Number(response?.headers.get('retry-after') ?? 0.2 * 2 ** attempt);
      await response?.body?.cancel();
      await pause(Math.min(Number.isFinite(seconds) ? seconds : 1, LONGEST_PAUSE_SECONDS) * 1_000);
    }
  }

  #attempt(url: URL, init: RequestInit): Promise<Response> {
    // A redirect would send the key to another address.
    return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  }
}

async function jsonOf(response: Response): Promise<GraphqlResponse> {
  try {
    return (await response.json()) as GraphqlResponse;
  } catch {
    throw new CommandError(
      `PARLEY_URL responds with status ${response.status} and no JSON. Check that it is the address of the service.`,
    );
  }
}

const causeOf = (error: unknown) => ((error as Error).cause ?? error) as NodeJS.ErrnoException;

/** Errors that do not go away: an unknown host, nobody listens, or a redirect. */
function isPermanent(error: unknown): boolean {
  const { code, message } = causeOf(error);
  return ['ENOTFOUND', 'ECONNREFUSED'].includes(code ?? '') || /redirect|bad port/.test(message);
}

function unreachable(error: unknown): CommandError {
  const { code, message } = causeOf(error);
  if (/redirect/.test(message)) return new CommandError('PARLEY_URL redirects. Set it to the final address.');
  return new CommandError(`PARLEY_URL cannot be reached (${code ?? 'no response'}). Check the address.`);
}

/** Options of commands that use the API. */
export const API_OPTIONS = {
  environment: { value: 'live|test', help: 'the environment, if PARLEY_API_KEY is a session token; default: live' },
} as const;

/** @throws {CommandError} if a variable is missing or malformed */
export function openApi({ env }: Terminal, options: ParsedOptions): Api {
  const { PARLEY_URL: address = '', PARLEY_API_KEY: token = '' } = env;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw new CommandError('PARLEY_URL must be the address of the service, like https://parley.example.com.');
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new CommandError('PARLEY_API_KEY must be an API key of the environment. Set the variable.');
  }
  const ofKey = KEY_PATTERN.exec(token)?.[1];
  const chosen = options.text('environment');
  if (chosen !== undefined && !ENVIRONMENT_KINDS.some((kind) => kind === chosen)) {
    throw new CommandError('--environment must be live or test.');
  }
  if (ofKey && chosen !== undefined && chosen !== ofKey) {
    throw new CommandError(`--environment is ${chosen}, but PARLEY_API_KEY is a key of the ${ofKey} environment.`);
  }
  const base = new URL(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return new Api(base, token, ofKey ?? chosen ?? 'live');
}
