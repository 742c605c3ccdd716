import { randomUUID } from 'node:crypto';
import DataLoader from 'dataloader';
import type { Scope } from '../contract/scopes.ts';
import { scopedDb } from '../db/scoped.ts';
import { authenticate, type CredentialHeaders, unauthorized } from '../domain/access/authenticate.ts';
import { requireScope } from '../domain/access/scopes.ts';
import type { Caller, Context, Services } from '../domain/context.ts';
import { latestCalls } from '../domain/conversations/reads.ts';

/** What a resolver is given: the caller's own view of the service, made anew for each request. */
export interface GraphContext {
  readonly caller: Caller | undefined;
  readonly requestId: string;
  /** @throws {ServiceError} unauthorized where the request carries no credentials */
  readonly domain: Context;
  /** @throws {ServiceError} unauthorized */
  requireCaller(): void;
  /** @throws {ServiceError} unauthorized or forbidden */
  requireScope(scope: Scope): void;
  /** Calls of a run by its id; asked together for all the conversations of a list. */
  readonly callsOfRun: DataLoader<string, Awaited<ReturnType<typeof latestCalls>>[number]>;
}

/** What a context needs of the request that carries it. */
export interface CarryingRequest {
  readonly headers: CredentialHeaders;
  readonly requestId: string;
}

/**
 * Finds out who asks, once, for either door.
 * @throws {ServiceError} unauthorized, or invalid_request where two credentials disagree
 */
export async function contextOf(services: Services, request: CarryingRequest): Promise<GraphContext> {
  return createGraphContext(services, await authenticate(services.prisma, request.headers), request.requestId);
}

function createGraphContext(services: Services, caller: Caller | undefined, requestId: string): GraphContext {
  let domain: Context | undefined;
  const context: GraphContext = {
    caller,
    requestId,
    get domain() {
      domain ??= domainContext(services, caller, requestId);
      return domain;
    },
    requireCaller() {
      if (!caller) throw unauthorized();
    },
    requireScope(scope) {
      if (!caller) throw unauthorized();
      requireScope(caller, scope);
    },
    callsOfRun: new DataLoader((runIds) => latestCalls(context.domain, runIds)),
  };
  return context;
}

function domainContext(services: Services, caller: Caller | undefined, requestId: string): Context {
  if (!caller) throw unauthorized();
  const { environment } = caller;
  return {
    caller,
    environment,
    db: scopedDb(services.prisma, environment),
    requestId,
    services,
    now: () => new Date(),
    newId: randomUUID,
  };
}
