import { randomUUID } from 'node:crypto';
import DataLoader from 'dataloader';
import type { Request } from 'express';
import { ADMINISTRATORS } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { RateLimit } from '../db/rate-limiter.ts';
import { scopedDb } from '../db/scoped.ts';
import { admitAnonymous, type RunnerAddress } from '../domain/access/anonymous.ts';
import { authenticate, unauthorized } from '../domain/access/authenticate.ts';
import type { Claim } from '../domain/access/idempotency.ts';
import { addressKey, countRequest, type LimitNotice, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { requireRole, requireScope, requireSession } from '../domain/access/scopes.ts';
import type { Caller, Context, PublicContext, RequestFacts, Services, SessionCaller } from '../domain/context.ts';
import { latestCalls } from '../domain/conversations/reads.ts';

/** What a resolver is given: the caller's own view of the service, made anew for each request. */
export interface GraphContext {
  readonly services: Services;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  /** @throws {ServiceError} unauthorized where the request carries no credentials */
  readonly domain: Context;
  /** @throws {ServiceError} unauthorized */
  requireCaller(): void;
  /** What anybody may be told from. */
  readonly open: PublicContext;
  /** @throws {ServiceError} unauthorized or forbidden */
  requireScope(scope: Scope): void;
  /**
   * The scope, or nothing where a deployment takes anonymous callers: whoever has no credentials is let in to this one.
   * @throws {ServiceError} unauthorized, forbidden, origin_not_allowed or rate_limited
   */
  enterRunner(scope: Scope, address: RunnerAddress): Promise<void>;
  /** Counts a turn of an anonymous caller in this conversation. @throws {ServiceError} rate_limited */
  countTurn(conversationId: string | null | undefined): Promise<void>;
  /** @throws {ServiceError} unauthorized or session_required */
  requireSession(): SessionCaller;
  /** @throws {ServiceError} unauthorized, session_required or forbidden */
  requireAdministrator(): void;
  /** Counts the request under a limit by this key. @throws {ServiceError} rate_limited */
  count(limit: RateLimit, key: string): Promise<void>;
  /**
   * Counts the request under a limit by the client's address, and says so in the answer's headers.
   * @throws {ServiceError} rate_limited
   */
  countByAddress(limit: RateLimit): Promise<void>;
  /** A header of the request. */
  header(name: string): string | undefined;
  /** Puts a header on the answer. */
  setHeader(name: string, value: string): void;
  /** Says that the request is carried out under this claim, before anything of it is. */
  carryOutUnder(claim: Claim): void;
  /** Calls of a run by its id; asked together for all the conversations of a list. */
  readonly callsOfRun: DataLoader<string, Awaited<ReturnType<typeof latestCalls>>[number]>;
}

/**
 * Finds out who asks, once, for either door.
 * @throws {ServiceError} unauthorized, or invalid_request where two credentials disagree
 */
export async function contextOf(services: Services, request: Request): Promise<GraphContext> {
  const credentials = {
    authorization: request.get('authorization'),
    'x-api-key': request.get('x-api-key'),
    'x-environment': request.get('x-environment'),
  };
  const context = createGraphContext(services, await authenticate(services.prisma, credentials), request);
  if (context.caller) services.credentialUse.record(context.caller, context.open.request);
  return context;
}

function createGraphContext(services: Services, known: Caller | undefined, request: Request): GraphContext {
  const requestId = String(request.id);
  const facts = { ...factsOf(request), claim: undefined as Claim | undefined };
  const open: PublicContext = { request: facts, services, now: () => new Date(), newId: randomUUID };
  let caller = known;
  let domain: Context | undefined;
  const requireCaller = () => {
    if (!caller || caller.kind === 'anonymous') throw unauthorized();
    return caller;
  };
  const context: GraphContext = {
    services,
    get caller() {
      return caller;
    },
    requestId,
    open,
    get domain() {
      domain ??= domainContext(open, caller);
      return domain;
    },
    requireCaller: () => void requireCaller(),
    requireScope: (scope) => requireScope(requireCaller(), scope),
    requireSession: () => requireSession(requireCaller()),
    requireAdministrator: () => requireRole(requireCaller(), ADMINISTRATORS),
    async enterRunner(scope, address) {
      if (caller && caller.kind !== 'anonymous') return requireScope(caller, scope);
      if (!caller) await context.countByAddress(RATE_LIMITS.anonymous);
      const admitted = await admitAnonymous(services.prisma, address, request.get('origin') ?? request.get('referer'));
      // One request, one deployment: what it reads is bound to it.
      if (caller && caller.id !== admitted.id) throw unauthorized();
      caller = admitted;
    },
    async countTurn(conversationId) {
      if (caller?.kind !== 'anonymous' || !conversationId) return;
      await context.count(RATE_LIMITS.anonymousTurns, conversationId);
    },
    count: (limit, key) => countRequest(services.rateLimiter, limit, key, (notice) => tellLimit(context, notice)),
    countByAddress: (limit) => context.count(limit, addressKey(facts.address)),
    header: (name) => request.get(name),
    setHeader: (name, value) => void request.res?.setHeader(name, value),
    carryOutUnder(claim) {
      facts.claim = claim;
    },
    callsOfRun: new DataLoader((runIds) => latestCalls(context.domain, runIds)),
  };
  return context;
}

/** The headers of WIRE 14. */
function tellLimit({ setHeader }: GraphContext, { limit, allowance }: LimitNotice): void {
  setHeader('RateLimit-Limit', String(limit.points));
  setHeader('RateLimit-Remaining', String(allowance.remaining));
  setHeader('RateLimit-Reset', String(allowance.resetSeconds));
  if (!allowance.allowed) setHeader('Retry-After', String(allowance.resetSeconds));
}

function factsOf(request: Request): Omit<RequestFacts, 'claim'> {
  return { id: String(request.id), address: request.ip ?? '', userAgent: request.get('user-agent') };
}

function domainContext(open: PublicContext, caller: Caller | undefined): Context {
  if (!caller) throw unauthorized();
  const { environment } = caller;
  return { ...open, caller, environment, db: scopedDb(open.services.prisma, environment) };
}
