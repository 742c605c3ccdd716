import { ServiceError } from '../contract/errors.ts';
import {
  type Authenticated,
  authenticate,
  type CredentialHeaders,
  hasCredential,
  type Presented,
  type Unbound,
} from '../domain/access/authenticate.ts';
import { bindJwt, DEPLOYMENT_HEADER, type UnboundJwt } from '../domain/access/end-users/jwt-caller.ts';
import type { JwtAddress } from '../domain/access/end-users/jwt-rules.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { unauthorized } from '../domain/access/unauthorized.ts';
import type { Caller } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import type { KnownDeployment } from '../domain/request.ts';
import { publishedJson } from '../domain/workflows/deployments.ts';
import { clearSessionCookie, sessionTokenOf } from './cookies.ts';
import type { Exchange } from './exchange.ts';
import type { RequestCounter } from './rate-limits.ts';
import { uuidOf } from './uuid.ts';

/** The caller of a request. */
export interface Identity {
  /** Undefined if the request has no credential. */
  readonly caller: Caller | undefined;
  /** Whether the credential is the session cookie. */
  readonly isCookie: boolean;
  /** The deployment in the path, read by the same SQL statement. */
  readonly deployment: KnownDeployment | undefined;
  /** A JWT that several workspaces may accept. `Pipeline.bind` finds its caller when the operation is known. */
  readonly unbound?: UnboundJwt;
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
    authorization: exchange.headerValues('authorization'),
    'x-api-key': exchange.headerValues('x-api-key'),
    'x-environment': exchange.header('x-environment'),
  };
  const token = hasCredential(headers) ? undefined : sessionTokenOf(services, exchange);
  const published = deploymentId === undefined ? undefined : publishedJson(deploymentId);
  const presented = presentedIn(services, exchange, deploymentId);
  const check = (sent: CredentialHeaders) =>
    authenticate(services, sent, presented, published).catch((error: unknown) => countRejection(error, counter));
  const authenticated =
    token === undefined
      ? await check(headers)
      : await memberOfCookie(services, exchange, check({ ...headers, authorization: [`Bearer ${token}`] }));
  const isCookie = token !== undefined;
  if (authenticated && 'unbound' in authenticated) {
    return { caller: undefined, isCookie, deployment: undefined, unbound: authenticated.unbound };
  }
  const deployment =
    authenticated && deploymentId !== undefined ? knownDeployment(deploymentId, authenticated) : undefined;
  return { caller: authenticated?.caller, isCookie, deployment };
}

function presentedIn(services: Services, exchange: Exchange, deploymentId: string | undefined): Presented {
  const { requestId, address } = exchange;
  return {
    sender: {
      address,
      refused: (key) => services.stores.credentialUse.recordRefusedKey(key, { id: requestId, address }),
    },
    address: { deploymentId: deploymentId ?? uuidOf(exchange.header(DEPLOYMENT_HEADER)) },
  };
}

/** @throws {ServiceError} unauthorized, invalid_request, unavailable; rate_limited after too many invalid credentials */
export async function identifyUnbound(
  services: Services,
  counter: RequestCounter,
  unbound: UnboundJwt,
  address: JwtAddress,
): Promise<Identity & { readonly caller: Caller }> {
  const bound = await bindJwt(services, unbound, address);
  if (!bound) return countRejection(unauthorized(), counter);
  return { caller: bound.caller, isCookie: false, deployment: undefined };
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
  member: Promise<Authenticated | Unbound | undefined>,
): Promise<Authenticated | Unbound | undefined> {
  try {
    return await member;
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    clearSessionCookie(services, exchange);
    return undefined;
  }
}
