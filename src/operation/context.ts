import { randomUUID } from 'node:crypto';
import DataLoader from 'dataloader';
import { ServiceError } from '../contract/errors.ts';
import { ADMINISTRATORS } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { RateLimit } from '../db/rate-limiter.ts';
import { callerContext } from '../domain/access/caller-context.ts';
import type { Claim } from '../domain/access/idempotency.ts';
import type { SignedIn } from '../domain/access/open-session.ts';
import { outOfReach, reachOf } from '../domain/access/reach.ts';
import { requireRole, requireScope, requireScopes, requireSession } from '../domain/access/scopes.ts';
import { unauthorized } from '../domain/access/unauthorized.ts';
import type { Caller, SessionCaller } from '../domain/caller.ts';
import type { Context, PublicContext, Services } from '../domain/context.ts';
import { latestCalls } from '../domain/conversations/reads.ts';
import type { RequestFacts } from '../domain/request.ts';
import { clearSessionCookie, hasConnectionCookie, setIntegrationCookie, setSessionCookie } from './cookies.ts';
import type { Exchange } from './exchange.ts';
import type { Identity } from './identify.ts';
import type { RequestCounter } from './rate-limits.ts';

/** The context of resolvers: the service with the permissions of one caller. The caller of a request never changes. */
export interface OperationContext {
  readonly services: Services;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  /** Whether mutations throw the errors that they can return. A REST response has one error. */
  readonly throwsErrors: boolean;
  /** The errors that mutations of this request have returned as results. */
  readonly returnedErrors: ServiceError[];
  /** @throws {ServiceError} unauthorized without credentials; unavailable after the request was aborted */
  readonly domain: Context;
  /** The context for public operations. */
  readonly open: PublicContext;
  /** Whether authorization has passed for this root field. */
  isAuthorized(fieldName: string): boolean;
  /**
   * Fails if a root field names something out of the caller's reach: the field with this response key, or any.
   * @throws {ServiceError} not_found
   */
  requireInReach(responseKey?: string | number): void;
  /** @throws {ServiceError} unauthorized */
  requireCaller(): void;
  /**
   * `isInReach`: bound callers need only the scope, because the field stays within the object that they reached.
   * @throws {ServiceError} unauthorized or forbidden
   */
  requireScope(scope: Scope, isInReach?: boolean): void;
  /** An API key needs every scope. A member must be an owner or admin. @throws {ServiceError} unauthorized or forbidden */
  requireScopes(scopes: readonly Scope[]): void;
  /** @throws {ServiceError} unauthorized or session_required */
  requireSession(): SessionCaller;
  /** @throws {ServiceError} unauthorized, session_required or forbidden */
  requireAdministrator(): void;
  /** Prevents the request from starting further work. */
  abort(): void;
  /** Counts the request under a rate limit and key. @throws {ServiceError} rate_limited */
  count(limit: RateLimit, key: string): Promise<void>;
  /** Counts a request without credentials by IP address, under a limit of its own. @throws {ServiceError} rate_limited */
  countPublic(limit: RateLimit): Promise<void>;
  /** Counts the request by IP address. @throws {ServiceError} rate_limited */
  countByAddress(limit: RateLimit): Promise<void>;
  /** Aborted when the response is sent or the client has disconnected. For work that only this client waits for. */
  readonly closed: AbortSignal;
  /** The cursor of the feed event that is being resolved. */
  feedCursor: string | undefined;
  /** A header of the request. */
  header(name: string): string | undefined;
  /** Sets a header of the response. */
  setHeader(name: string, value: string): void;
  /** Sends a new session to the browser as a cookie. */
  keepSession(session: SignedIn): void;
  /** Whether the request of an app with this ID began in the browser that sends this request. */
  hasConnectionRequest(requestId: string): boolean;
  /** Binds a sign-in to an MCP server to the browser that sends this request. */
  keepIntegrationSignIn(cookie: string, until: Date): void;
  /** Clears the session cookie if the request has one. */
  forgetSession(): void;
  /** Attaches an idempotency claim to the request. */
  runUnder(claim: Claim): void;
  /** The tool calls of a run, batched over all conversations of a list. */
  readonly callsOfRun: DataLoader<string, Awaited<ReturnType<typeof latestCalls>>[number]>;
}

/** The parts of a context. `identity` is final. */
export interface ContextParts {
  readonly services: Services;
  readonly exchange: Exchange;
  readonly counter: RequestCounter;
  readonly facts: Omit<RequestFacts, 'known'>;
  readonly identity: Identity;
  /** The authorized root fields. */
  readonly authorized: ReadonlySet<string>;
  /** The errors of root fields that name something out of the caller's reach, by response key. */
  readonly outOfReach: ReadonlyMap<string, ServiceError>;
  readonly throwsErrors: boolean;
}

export function createContext(parts: ContextParts): OperationContext {
  return new RequestContext(parts);
}

/** A class, because every request creates one: an object with as many functions takes longer to create. */
class RequestContext implements OperationContext {
  readonly services: Services;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  readonly throwsErrors: boolean;
  readonly returnedErrors: ServiceError[] = [];
  readonly open: PublicContext;
  feedCursor: string | undefined;
  readonly #parts: ContextParts;
  readonly #facts: RequestFacts & { claim: Claim | undefined };
  #domain: Context | undefined;
  #calls: OperationContext['callsOfRun'] | undefined;
  #isAborted = false;
  #closed: AbortSignal | undefined;

  constructor(parts: ContextParts) {
    const { services, exchange, identity, throwsErrors } = parts;
    this.services = services;
    this.caller = identity.caller;
    this.requestId = exchange.requestId;
    this.throwsErrors = throwsErrors;
    this.#parts = parts;
    this.#facts = { ...parts.facts, known: identity.deployment, claim: undefined };
    this.open = { request: this.#facts, services, now: () => new Date(), newId: randomUUID };
  }

  get domain(): Context {
    if (this.#isAborted) throw new ServiceError('unavailable', 'The request was aborted.');
    this.#domain ??= domainContext(this.open, this.caller);
    return this.#domain;
  }

  get closed(): AbortSignal {
    if (!this.#closed) {
      const controller = new AbortController();
      this.#parts.exchange.onEnd(() => controller.abort());
      this.#closed = controller.signal;
    }
    return this.#closed;
  }

  get callsOfRun(): OperationContext['callsOfRun'] {
    this.#calls ??= new DataLoader((runIds) => latestCalls(this.domain, runIds));
    return this.#calls;
  }

  isAuthorized(fieldName: string): boolean {
    return this.#parts.authorized.has(fieldName);
  }

  requireInReach(responseKey?: string | number): void {
    const { outOfReach } = this.#parts;
    if (outOfReach.size === 0) return;
    const error = responseKey === undefined ? [...outOfReach.values()][0] : outOfReach.get(String(responseKey));
    if (error) throw error;
  }

  requireCaller(): void {
    this.#knownCaller();
  }

  requireScope(scope: Scope, isInReach = false): void {
    // A field inside of a conversation can be for members, such as the reason of a failure, so end users do not get it.
    const isReached = isInReach && this.caller?.kind !== 'end_user';
    requireScope(isReached ? this.#anyCaller() : this.#knownCaller(), scope);
  }

  requireScopes(scopes: readonly Scope[]): void {
    requireScopes(this.#knownCaller(), scopes);
  }

  requireSession(): SessionCaller {
    return requireSession(this.#knownCaller());
  }

  requireAdministrator(): void {
    requireRole(this.#knownCaller(), ADMINISTRATORS);
  }

  abort(): void {
    this.#isAborted = true;
  }

  count(limit: RateLimit, key: string): Promise<void> {
    return this.#parts.counter.count(limit, key);
  }

  countByAddress(limit: RateLimit): Promise<void> {
    return this.#parts.counter.countByAddress(limit);
  }

  async countPublic(limit: RateLimit): Promise<void> {
    // Callers with a valid credential have their own limits.
    if (!this.caller) await this.countByAddress(limit);
  }

  header(name: string): string | undefined {
    return this.#parts.exchange.header(name);
  }

  setHeader(name: string, value: string): void {
    this.#parts.exchange.setHeader(name, value);
  }

  keepSession({ token, expiresAt }: SignedIn): void {
    setSessionCookie(this.services, this.#parts.exchange, token, expiresAt);
  }

  hasConnectionRequest(requestId: string): boolean {
    return hasConnectionCookie(this.services, this.#parts.exchange, requestId);
  }

  keepIntegrationSignIn(cookie: string, until: Date): void {
    setIntegrationCookie(this.services, this.#parts.exchange, cookie, until);
  }

  forgetSession(): void {
    if (this.#parts.identity.isCookie) clearSessionCookie(this.services, this.#parts.exchange);
  }

  runUnder(claim: Claim): void {
    this.#facts.claim = claim;
    this.#domain = undefined;
  }

  #anyCaller(): Caller {
    if (!this.caller || this.caller.kind === 'anonymous') throw unauthorized();
    return this.caller;
  }

  #knownCaller(): Caller {
    const caller = this.#anyCaller();
    // The pipeline has authorized the root fields. Every other permission is for the whole environment.
    if (reachOf(caller)) throw outOfReach(caller);
    return caller;
  }
}

function domainContext(open: PublicContext, caller: Caller | undefined): Context {
  if (!caller) throw unauthorized();
  return callerContext(open, caller);
}
