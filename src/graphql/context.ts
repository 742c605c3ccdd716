import { randomUUID } from 'node:crypto';
import DataLoader from 'dataloader';
import type { Request } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { ADMINISTRATORS } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { RateLimit } from '../db/rate-limiter.ts';
import { scopedDb } from '../db/scoped.ts';
import { admitAnonymous, findVisitor, type Origin, type RunnerAddress } from '../domain/access/anonymous.ts';
import { unauthorized } from '../domain/access/authenticate.ts';
import type { Claim } from '../domain/access/idempotency.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { requireRole, requireScope, requireScopes, requireSession } from '../domain/access/scopes.ts';
import type { SignedIn } from '../domain/access/sessions.ts';
import type {
  Caller,
  Context,
  KnownDeployment,
  PublicContext,
  RequestFacts,
  Services,
  SessionCaller,
} from '../domain/context.ts';
import { latestCalls } from '../domain/conversations/reads.ts';
import { countAnonymous, countCaller } from './caller-limits.ts';
import { clearSessionCookie, setSessionCookie, visitorOf } from './cookies.ts';
import { tellLimit } from './limit-headers.ts';

/** What a resolver is given: the caller's own view of the service, made anew for each request. */
export interface GraphContext {
  readonly services: Services;
  readonly caller: Caller | undefined;
  readonly requestId: string;
  /** @throws {ServiceError} unauthorized where the request carries no credentials; unavailable once it is given up */
  readonly domain: Context;
  /** @throws {ServiceError} unauthorized */
  requireCaller(): void;
  /** Lets nothing more of the request begin. */
  giveUp(): void;
  /** What anybody may be told from. */
  readonly open: PublicContext;
  /** @throws {ServiceError} unauthorized or forbidden */
  requireScope(scope: Scope): void;
  /** All of them of a key; a member has to administer the workspace. @throws {ServiceError} unauthorized or forbidden */
  requireScopes(scopes: readonly Scope[]): void;
  /**
   * The scope, or nothing where a deployment takes anonymous callers: whoever has no credentials is let in to this one.
   * @throws {ServiceError} unauthorized, forbidden, origin_not_allowed or rate_limited
   */
  enterRunner(scope: Scope, address: RunnerAddress): Promise<void>;
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
  /** How far the client of a feed is once it has the event that is being told. */
  feedCursor: string | undefined;
  /** A header of the request. */
  header(name: string): string | undefined;
  /** Puts a header on the answer. */
  setHeader(name: string, value: string): void;
  /** Gives the browser a new session as its cookie. */
  keepSession(session: SignedIn): void;
  /** Takes the cookie back, where it is what this request came with. */
  forgetSession(): void;
  /** Says that the request is carried out under this claim, before anything of it is. */
  carryOutUnder(claim: Claim): void;
  /** Calls of a run by its id; asked together for all the conversations of a list. */
  readonly callsOfRun: DataLoader<string, Awaited<ReturnType<typeof latestCalls>>[number]>;
}

/** Who asks, and whether it is a cookie that says so. */
export interface Known {
  readonly caller: Caller | undefined;
  readonly isCookie: boolean;
  readonly known: KnownDeployment | undefined;
}

/** The view of whoever sent this request. */
export function createGraphContext(services: Services, known: Known, request: Request): GraphContext {
  const requestId = String(request.id);
  const setHeader = (name: string, value: string) => void request.res?.setHeader(name, value);
  const facts = {
    ...factsOf(request),
    known: known.known,
    claim: undefined as Claim | undefined,
    tellLimit: tellLimit(setHeader),
  };
  const open: PublicContext = { request: facts, services, now: () => new Date(), newId: randomUUID };
  let { caller } = known;
  let domain: Context | undefined;
  let calls: GraphContext['callsOfRun'] | undefined;
  let isGivenUp = false;
  const origin: Origin = {
    page: request.get('origin') ?? request.get('referer'),
    visitorOf: (deploymentId) => visitorOf(services, request, deploymentId),
  };
  const requireCaller = () => {
    if (!caller || caller.kind === 'anonymous') throw unauthorized();
    return caller;
  };
  const enterAnonymous = async (address: RunnerAddress) => {
    const before = caller;
    const admitted = await admitAnonymous(services.sql, address, origin).catch(async (refusal: unknown) => {
      // Whoever tries deployments out is counted too.
      if (!before) await context.countByAddress(RATE_LIMITS.anonymous);
      throw refusal;
    });
    // One request, one deployment: what it reads is bound to it.
    if (before && before.id !== admitted.id) throw unauthorized();
    if (!before) {
      await countAnonymous(context, admitted);
      await countCaller(context, admitted);
    }
    caller = admitted;
  };
  const context: GraphContext = {
    services,
    get caller() {
      return caller;
    },
    requestId,
    open,
    giveUp() {
      isGivenUp = true;
    },
    get domain() {
      if (isGivenUp) throw new ServiceError('unavailable', 'The request was given up.');
      domain ??= domainContext(open, caller);
      return domain;
    },
    requireCaller: () => void requireCaller(),
    requireScope: (scope) => requireScope(requireCaller(), scope),
    requireScopes: (scopes) => requireScopes(requireCaller(), scopes),
    requireSession: () => requireSession(requireCaller()),
    requireAdministrator: () => requireRole(requireCaller(), ADMINISTRATORS),
    async enterRunner(scope, address) {
      if (caller && caller.kind !== 'anonymous') {
        const isVisitor = known.isCookie && (await visitsInstead(services, caller, { scope, address, origin }));
        if (!isVisitor) return requireScope(caller, scope);
        caller = undefined;
        domain = undefined;
      }
      await enterAnonymous(address);
    },
    count: (limit, key) => countRequest(services.rateLimiter, limit, key, facts.tellLimit),
    countByAddress: (limit) => context.count(limit, addressKey(facts.address)),
    feedCursor: undefined,
    header: (name) => request.get(name),
    setHeader,
    keepSession: ({ token, expiresAt }) => {
      if (request.res) setSessionCookie(services, request.res, token, expiresAt);
    },
    forgetSession() {
      if (known.isCookie) clearSessionCookie(services, request.res);
    },
    carryOutUnder(claim) {
      facts.claim = claim;
    },
    get callsOfRun() {
      calls ??= new DataLoader((runIds) => latestCalls(context.domain, runIds));
      return calls;
    },
  };
  return context;
}

function factsOf(request: Request): Omit<RequestFacts, 'claim' | 'known' | 'tellLimit'> {
  return { id: String(request.id), address: request.ip ?? '', userAgent: request.get('user-agent') };
}

/**
 * Whether a member's browser is here as a visitor: a member may open a page that is not of their workspace, or that
 * their role is not for.
 */
async function visitsInstead(
  { sql }: Services,
  { scopes, environment }: Caller,
  { scope, address, origin }: { scope: Scope; address: RunnerAddress; origin: Origin },
): Promise<boolean> {
  const visitor = await findVisitor(sql, address, origin);
  if (!visitor) return false;
  return !scopes.has(scope) || environment.workspaceId !== visitor.environment.workspaceId;
}

function domainContext(open: PublicContext, caller: Caller | undefined): Context {
  if (!caller) throw unauthorized();
  const { environment } = caller;
  return { ...open, caller, environment, db: scopedDb(open.services.prisma, environment) };
}
