import type { PublicContext } from '../../../context.ts';
import { consumeState, newAttempt, openAttempt, type SignInAttempt, type SignInPlace } from '../../sso/attempt.ts';
import { SignInProblem } from '../../sso/problem.ts';
import { type StartedSignOn, signInProblem } from '../../sso/sign-on.ts';
import { type OfferedSignIn, oidcClientOf } from '../offered-sign-in.ts';
import { endUserRedirectUri } from '../sign-in-settings.ts';
import { requireEndUserRequest } from './request.ts';
import { grantedScopes, type SealedUser, sealUser, userOfClaims } from './signed-in-user.ts';

/**
 * Sends an end user to their issuer, for the request of an app. The cookie binds the attempt to the browser and the request.
 * @throws {ServiceError} not_found
 * @throws {SignInProblem}
 */
export async function startEndUserSignIn(open: PublicContext, requestId: string): Promise<StartedSignOn> {
  const { offered } = await requireEndUserRequest(open, requestId);
  const client = await requireClient(open, offered);
  const place = placeOf(open, offered.environment);
  const { attempt, cookie } = newAttempt(open, place, { issuer: offered.issuer, request: requestId });
  const url = await open.services.ports.oidc.authorizationUrl(client, attempt).catch(signInProblem);
  return { url, cookie, until: attempt.until };
}

/** What a sign-in proves, for the browser that began it. */
export interface FinishedSignIn extends SealedUser {
  readonly requestId: string;
}

/**
 * Finishes the sign-in with the response of the issuer.
 * @throws {ServiceError} not_found
 * @throws {SignInProblem}
 */
export async function finishEndUserSignIn(
  open: PublicContext,
  environmentId: string,
  cookie: string | undefined,
  response: URLSearchParams,
): Promise<FinishedSignIn> {
  const { services } = open;
  const where = { id: environmentId };
  const environment = await services.stores.prisma.environment.findUnique({ where, select: { workspaceId: true } });
  if (!environment) throw new SignInProblem('no_provider', 'there is no such environment');
  const place = placeOf(open, { id: environmentId, ...environment });
  const attempt = openAttempt(open, place, cookie, response.get('state'));
  const requestId = requireRequest(attempt);
  const { request, offered } = await requireEndUserRequest(open, requestId);
  if (offered.environment.id !== environmentId || offered.issuer !== attempt.issuer) {
    throw new SignInProblem('attempt_expired', 'the issuer of the environment was changed');
  }
  await consumeState(open, place, attempt);
  const client = await requireClient(open, offered);
  const claims = await services.ports.oidc.claimsOf(client, attempt, response).catch(signInProblem);
  const user = userOfClaims(claims, offered);
  if (grantedScopes(request.scopes, user).length === 0) {
    throw new SignInProblem('provider_denied', 'the ID token gives the user no scope that the app asks for');
  }
  return { requestId, ...sealUser(open, { requestId, offered, until: attempt.until }, user) };
}

function placeOf(
  { services }: PublicContext,
  { id, workspaceId }: Pick<OfferedSignIn['environment'], 'id' | 'workspaceId'>,
): SignInPlace {
  return { workspaceId, name: `end users ${id}`, redirectUri: endUserRedirectUri(services, id) };
}

/** Attempts of other pages have no request. */
function requireRequest({ request }: SignInAttempt): string {
  if (request !== undefined) return request;
  throw new SignInProblem('attempt_expired', 'the attempt is not for the request of an app');
}

async function requireClient({ services }: PublicContext, offered: OfferedSignIn) {
  const client = await oidcClientOf(services, offered);
  if (client) return client;
  throw new SignInProblem('no_provider', 'the settings of the environment have changed');
}
