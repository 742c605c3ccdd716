import { hash } from 'node:crypto';
import {
  type PriorDiscovery,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { JsonCost } from '../../bounds/json-cost.ts';
import type { TimeBounds } from '../../bounds/within-time.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import type { McpServer } from '../../domain/actions/mcp-port.ts';
import type { GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { withTimeLimit } from '../../outbound/time-limit.ts';
import { ChallengeWatch } from './challenge.ts';
import { CLOSE_MS, closeSession, type McpSession, openSession } from './connection.ts';
import { Eras } from './eras.ts';

/** Connects to servers of both revisions of the protocol. Nothing is shared between two sessions but the revision. */
export class McpSessions {
  readonly #fetcher: GuardedFetcher;
  readonly #eras = new Eras();

  constructor(fetcher: GuardedFetcher) {
    this.#fetcher = fetcher;
  }

  /** The caller does not wait for the cancellation of a request or for the end of the session. */
  run<T>(
    server: McpServer,
    bounds: TimeBounds & { readonly maxBytes: number; readonly headers?: Readonly<Record<string, string>> | undefined },
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, maxBytes } = bounds;
    const all = { timeoutMs: timeoutMs + CLOSE_MS, maxBytes, startCheck, isResumable: true };
    const watch = new ChallengeWatch();
    const result = withTimeLimit(bounds, (signal) =>
      this.#fetcher.session(all, (fetch) => {
        const options = { signal, timeout: timeoutMs + CLOSE_MS };
        const connection = { url: new URL(server.url), headers: { ...server.headers, ...bounds.headers } };
        const open = (prior: PriorDiscovery | undefined) =>
          openSession(connection, watch.watched(fetch), options, prior);
        return this.#attempt(keyOf(server), open, work);
      }),
    );
    return result.catch((error: unknown) => {
      throw watch.errorOf(error);
    });
  }

  /** A session that the server has lost is replaced once. The server has not accepted its request. */
  async #attempt<T>(
    key: string,
    open: (prior: PriorDiscovery | undefined) => Promise<McpSession>,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> {
    const prior = this.#eras.get(key);
    const first = await this.#open(key, open, prior).catch((error: unknown) => {
      if (!prior || !isRejected(error)) throw error;
      this.#eras.forget(key);
      return this.#open(key, open, undefined);
    });
    try {
      return await work(first);
    } catch (error) {
      if (first.transport.hasBegun || !isLost(error, first, prior)) throw error;
    } finally {
      await closeSession(first);
    }
    this.#eras.forget(key);
    const second = await this.#open(key, open, undefined);
    try {
      return await work(second);
    } finally {
      await closeSession(second);
    }
  }

  async #open(
    key: string,
    open: (prior: PriorDiscovery | undefined) => Promise<McpSession>,
    prior: PriorDiscovery | undefined,
  ): Promise<McpSession> {
    const session = await open(prior).catch((error: unknown) => {
      if (prior || !isUnknownQuestion(error)) throw error;
      return open({ kind: 'legacy' });
    });
    if (prior) return session;
    const discover = session.client.getDiscoverResult();
    this.#eras.set(key, discover ? { kind: 'modern', discover } : { kind: 'legacy' });
    return session;
  }
}

/** A server may have other tools, and even another revision, with other credentials. */
export function keyOf({ url, headers }: McpServer): string {
  return hash('sha256', JSON.stringify([url, headers]), 'base64');
}

const TOO_MUCH = `The response has more than ${formatCount(LIMITS.mcpStructureBytes)} bytes without its long texts.`;

/** The client parses a message at once, which would hold up other requests. */
function startCheck(): (chunk: Uint8Array) => string | undefined {
  const cost = new JsonCost();
  return (chunk) => {
    cost.add(chunk);
    if (cost.hasManyKeys) return 'The response has too many different keys.';
    if (cost.hasManyItems) return 'The response has too many parts or events.';
    return cost.structureBytes > LIMITS.mcpStructureBytes ? TOO_MUCH : undefined;
  };
}

/**
 * The server has no such session, or no longer the revision that is remembered. Any other error can mean that the server
 * has run the call.
 */
function isLost(error: unknown, { transport }: McpSession, prior: PriorDiscovery | undefined): boolean {
  if (error instanceof SdkHttpError) {
    const isReplaced = prior?.kind === 'modern' && [400, 404, 405].includes(error.status);
    return isReplaced || (error.status === 404 && transport.sessionId !== undefined);
  }
  return error instanceof ProtocolError && error.code === ProtocolErrorCode.UnsupportedProtocolVersion;
}

/** The server does not accept the handshake of the revision that is remembered. */
function isRejected(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status < 500 && error.status !== 401 && error.status !== 403;
  return error instanceof ProtocolError;
}

/** A server of the older revision can fail or stay silent when it is asked for its revision. */
function isUnknownQuestion(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status >= 500;
  if (!(error instanceof SdkError)) return false;
  if (error.code === SdkErrorCode.RequestTimeout) return true;
  return error.code === SdkErrorCode.EraNegotiationFailed && !(error.cause instanceof TypeError);
}
