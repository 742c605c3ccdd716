import { type ExecutionResult, GraphQLError, type GraphQLFormattedError, OperationTypeNode } from 'graphql';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Scope } from '../contract/scopes.ts';
import type { Claim } from '../domain/access/idempotency.ts';
import { addressKey } from '../domain/access/rate-limits.ts';
import { reachOf } from '../domain/access/reach.ts';
import type { AnonymousCaller, Caller } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import type { OperationContext } from './context.ts';
import type { OperationPlan } from './plan.ts';

/** The first response to a request, as stored with its key. */
export type StoredResponse = {
  readonly requestId: string;
  /** The scopes of the first caller. A replay requires them too. */
  readonly scopes: readonly Scope[];
} & (
  | { readonly kind: 'result'; readonly result: StoredResult }
  | { readonly kind: 'stream'; readonly results: readonly StoredResult[] }
);

interface StoredResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** The result of claiming a key. */
export type Claimed =
  /** The request must be executed. */
  | { readonly kind: 'claim'; end: End; release(error: unknown): Promise<void> }
  /** The response to the first request is stored. */
  | { readonly kind: 'replay'; readonly response: StoredResponse }
  /** The first request stored its turn. Executing the operation again returns this turn. */
  | { readonly kind: 'recorded' };

/** Ends the request. `returned` is the error that its mutation returned as its result. */
type End = (response: StoredResponse, returned?: ServiceError) => Promise<void>;

/** The idempotency key of a request, from its transport. */
export interface Retryable {
  readonly key: string | undefined;
  /** Two requests with the same key must have equal fingerprints. */
  readonly fingerprint: () => unknown;
}

/** Statuses of requests that started nothing. The corrected request can use the same key. */
const NOT_STARTED = new Set([401, 402, 403, 405, 406, 413, 415, 429]);

/** After these errors it is unknown whether the request changed something, for example after a lost connection. */
const UNCERTAIN = new Set<string | undefined>(['unavailable', 'internal_error'] satisfies ErrorCode[]);

/**
 * Claims the Idempotency-Key of an authorized and validated request. Undefined if it has no key, changes
 * nothing or has no caller.
 * @throws {ServiceError} invalid_request, idempotency_key_reused, request_in_progress
 */
export async function claimKey(
  context: OperationContext,
  plan: OperationPlan,
  { key, fingerprint }: Retryable,
): Promise<Claimed | undefined> {
  const { caller, services } = context;
  if (key === undefined || !plan.isWrite || plan.isFeed || !caller) return undefined;
  requireOneField(plan);
  const namespace = namespaceOf(context, caller, key);
  const claimed = await services.stores.idempotency.claim<StoredResponse>(caller.environment.id, key, {
    request: fingerprint(),
    namespace,
  });
  if (claimed.kind === 'replay') {
    requireScopes(context, claimed.response.scopes);
    return { kind: 'replay', response: claimed.response };
  }
  if (claimed.kind === 'recorded') {
    requireScopes(context, (claimed.claim.effect as { readonly scopes: readonly Scope[] }).scopes);
    context.runUnder(claimed.claim);
    return { kind: 'recorded' };
  }
  const claim: Claim = Object.assign(claimed.claim, {
    runsTurn: plan.runsTurn,
    ...(plan.isTurn && { turn: { scopes: [...caller.scopes], isStored: false } }),
  });
  context.runUnder(claim);
  return claimOf(services, claim);
}

function requireOneField({ kind, rootFields }: OperationPlan): void {
  if (kind !== OperationTypeNode.MUTATION || rootFields.length === 1) return;
  throw new ServiceError('invalid_request', 'An idempotency key needs a mutation with exactly one root field.');
}

/** Undefined for callers that reach the whole environment. They share its keys. */
function namespaceOf(context: OperationContext, caller: Caller, key: string): string | undefined {
  if (caller.kind === 'anonymous') return anonymousNamespace(context, caller, key);
  // The next token of an end user can retry a request.
  if (caller.kind === 'end_user') return `end user ${JSON.stringify([caller.deploymentIds, caller.endUser])}`;
  return reachOf(caller) && `${caller.kind} ${caller.id}`;
}

/** Callers without credentials share an environment, so a visitor or an IP address is part of their key. */
function anonymousNamespace({ open }: OperationContext, { id, visitor }: AnonymousCaller, key: string): string {
  if (key.length < LIMITS.anonymousKeyLength) {
    const message = `{param} must have at least ${LIMITS.anonymousKeyLength} characters in a request without credentials. Use a random value.`;
    throw new ServiceError('invalid_request', message, { param: ['Idempotency-Key'] });
  }
  return `${id} ${visitor ? `visitor ${visitor.id}` : `address ${addressKey(open.request.address)}`}`;
}

/** Requires the scopes of the first caller. @throws {ServiceError} idempotency_key_reused */
function requireScopes(context: OperationContext, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !context.caller?.scopes.has(scope));
  if (missing) {
    const message = `The first request with this idempotency key was made with the scope ${missing}. Use a new key.`;
    throw new ServiceError('idempotency_key_reused', message, { param: ['Idempotency-Key'] });
  }
  context.setHeader('Idempotency-Replayed', 'true');
}

function claimOf({ stores: { idempotency } }: Services, claim: Claim): Claimed {
  const settle = async (response: StoredResponse | undefined, { status = 200, code }: Failure) => {
    if (claim.turn?.isStored) return idempotency.stopRenewing(claim);
    if (claim.turn?.isStarted) return idempotency.release(claim, false);
    const isStored = response && status < 500 && !NOT_STARTED.has(status) && code !== 'invalid_request';
    return isStored ? idempotency.storeResponse(claim, response) : idempotency.release(claim, !UNCERTAIN.has(code));
  };
  return {
    kind: 'claim',
    end: (response, returned) => settle(response, returned ? failureOf(returned) : failureIn(response)),
    release: (error) => settle(undefined, (error as GraphQLFormattedError).extensions ?? {}),
  };
}

/** The error of a request. Empty if it succeeded. */
interface Failure {
  readonly status?: number;
  readonly code?: string;
}

function failureOf({ code }: ServiceError): Failure {
  return { code, status: ERROR_CODES[code].status };
}

function failureIn(response: StoredResponse): Failure {
  const result = response.kind === 'result' ? response.result : response.results.at(-1);
  return result?.errors?.[0]?.extensions ?? {};
}

/** The stored form of a result. */
export function storedResult({ data, errors }: ExecutionResult): StoredResult {
  return {
    ...(data !== undefined && { data }),
    ...(errors && { errors: errors.map((error) => error.toJSON()) }),
  };
}

/** Restores a stored result. Adds the root field to its errors. */
export function restoredResult({ data, errors }: StoredResult, { rootFields }: OperationPlan): ExecutionResult {
  const nodes = rootFields.map(({ node }) => node);
  const restored = errors?.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, { nodes: path ? nodes : null, path: path ?? null, extensions: extensions ?? null }),
  );
  return {
    ...(data !== undefined && { data: data as Record<string, unknown> }),
    ...(restored && { errors: restored }),
  };
}
