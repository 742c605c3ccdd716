import { ServiceError } from '../contract/errors.ts';
import { type Authenticated, authenticate, type CredentialHeaders } from '../domain/access/authenticate.ts';
import type { Sender } from '../domain/access/keys/key-caller.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import type { Caller } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import type { KnownDeployment } from '../domain/request.ts';
import { publishedJson } from '../domain/workflows/deployments.ts';
import { clearSessionCookie, sessionTokenOf } from './cookies.ts';
import type { Exchange } from './exchange.ts';
import type { RequestCounter } from './rate-limits.ts';

/** The caller of a request. */
export interface Identity {
  /** Undefined if the request has no credential. */
  readonly caller: Caller | undefined;
  /** Whether the credential is the session cookie. */
  readonly isCookie: boolean;
  /** The deployment in the path, read by the same SQL statement. */
  readonly deployment: KnownDeployment | undefined;
}

/**
 * Identifies the caller. A credential in a header takes precedence over the cookie that a browser sends automatically.
 * @throws {ServiceError} unauthorized; invalid_request when two credentials disagree; origin_not_allowed; rate_limited
 * after too many invalid credentials
 */
export async function identify(
  services: Services,
  exchange: Exchange,
  counter: RequestCounter,
  deploymentId: string | undefined,
): Promise<Identity> {
  const headers = {
    authorization: exchange.header('authorization')?.trim(),
    'x-api-key': exchange.header('x-api-key')?.trim(),
    'x-environment': exchange.header('x-environment'),
  };
  const hasHeader = Boolean(headers.authorization || headers['x-api-key']);
  const token = hasHeader ? undefined : sessionTokenOf(services, exchange);
  const published = deploymentId === undefined ? undefined : publishedJson(deploymentId);
  const { requestId, address } = exchange;
  const sender: Sender = {
    address,
    refused: (key) => services.credentialUse.recordRefusedKey(key, { id: requestId, address }),
  };
  const check = (sent: CredentialHeaders) =>
    authenticate(services, sent, sender, published).catch((error: unknown) => countRejection(error, counter));
  const authenticated =
    token === undefined
      ? await check(headers)
      : await memberOfCookie(services, exchange, check({ ...headers, authorization: `Bearer ${token}` }));
  const deployment =
    authenticated && deploymentId !== undefined ? knownDeployment(deploymentId, authenticated) : undefined;
  return { caller: authenticated?.caller, isCookie: token !== undefined, deployment };
}

/** Counts invalid credentials, so that guessing gets 429. */
async function countRejection(error: unknown, counter: RequestCounter): Promise<never> {
  if (isUnauthorized(error)) await counter.countByAddress(RATE_LIMITS.failedCredentials);
  throw error;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unauthorized';
}

function knownDeployment(deploymentId: string, { caller, extraColumns }: Authenticated): KnownDeployment {
  return { deploymentId, workspaceId: caller.environment.workspaceId, deployment: extraColumns };
}

/** An expired session cookie is ignored and cleared. */
async function memberOfCookie(
  services: Services,
  exchange: Exchange,
  member: Promise<Authenticated | undefined>,
): Promise<Authenticated | undefined> {
  try {
    return await member;
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    clearSessionCookie(services, exchange);
    return undefined;
  }
}
