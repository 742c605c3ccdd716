import type { Request } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { type Authenticated, authenticate, type CredentialHeaders } from '../domain/access/authenticate.ts';
import type { KnownDeployment, Services } from '../domain/context.ts';
import { publishedJson } from '../domain/workflows/deployments.ts';
import { countCaller } from './caller-limits.ts';
import { createGraphContext, type GraphContext } from './context.ts';
import { clearSessionCookie, sessionTokenOf } from './cookies.ts';

/**
 * Finds out who asks, once, for either door. A credential in a header is meant, so it counts for more than the cookie
 * that a browser sends by itself. The deployment that the request is known to name is looked up with them.
 * @throws {ServiceError} unauthorized, invalid_request where two credentials disagree, or origin_not_allowed
 */
export async function contextOf(
  services: Services,
  request: Request,
  deploymentId?: string | undefined,
): Promise<GraphContext> {
  const given = {
    authorization: request.get('authorization')?.trim(),
    'x-api-key': request.get('x-api-key')?.trim(),
    'x-environment': request.get('x-environment'),
  };
  const isGiven = Boolean(given.authorization || given['x-api-key']);
  const token = isGiven ? undefined : sessionTokenOf(services, request);
  const beside = deploymentId === undefined ? undefined : publishedJson(deploymentId);
  const identify = (headers: CredentialHeaders) => authenticate(services.sql, headers, beside);
  const found =
    token === undefined
      ? await identify(given)
      : await memberOfCookie(services, request, identify({ ...given, authorization: `Bearer ${token}` }));
  const known = found && deploymentId !== undefined ? knownDeployment(deploymentId, found) : undefined;
  const context = createGraphContext(
    services,
    { caller: found?.caller, isCookie: token !== undefined, known },
    request,
  );
  if (context.caller) {
    services.credentialUse.record(context.caller, context.open.request);
    await countCaller(context, context.caller);
  }
  return context;
}

function knownDeployment(deploymentId: string, { caller, beside }: Authenticated): KnownDeployment {
  return { deploymentId, workspaceId: caller.environment.workspaceId, deployment: beside };
}

/** A cookie whose session is over is as none, and is taken back. */
async function memberOfCookie(
  services: Services,
  request: Request,
  member: Promise<Authenticated | undefined>,
): Promise<Authenticated | undefined> {
  try {
    return await member;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'unauthorized')) throw error;
    clearSessionCookie(services, request.res);
    return undefined;
  }
}
