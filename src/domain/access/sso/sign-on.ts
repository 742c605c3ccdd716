import type { SsoProvider } from '../../../db/generated/client.ts';
import type { PublicContext } from '../../context.ts';
import type { SignedIn } from '../open-session.ts';
import { admitMember } from './admit.ts';
import { consumeState, newAttempt, openAttempt, type SignInPlace } from './attempt.ts';
import { OidcError, type OidcFailure } from './oidc-port.ts';
import { SignInProblem } from './problem.ts';
import { clientOf, redirectUri } from './provider.ts';
import { verifiedPerson } from './verified-person.ts';

/** The workspace to sign in to: its ID, or a domain of its members. */
export interface SignOnTarget {
  readonly workspaceId?: string | undefined;
  readonly domain?: string | undefined;
}

/** Where the browser goes, and the cookie that binds the attempt to it. */
export interface StartedSignOn {
  readonly url: URL;
  readonly cookie: string;
  readonly until: Date;
}

/** Starts a single sign-on. @throws {SignInProblem} */
export async function startSignOn(open: PublicContext, target: SignOnTarget): Promise<StartedSignOn> {
  const provider = await providerOf(open, target);
  const { attempt, cookie } = newAttempt(open, placeOf(open, provider), provider);
  const client = clientOf(open.services, provider);
  const url = await open.services.ports.oidc.authorizationUrl(client, attempt).catch(signInProblem);
  return { url, cookie, until: attempt.until };
}

/** Finishes a single sign-on with the response of the provider: opens a session. @throws {SignInProblem} */
export async function finishSignOn(
  open: PublicContext,
  workspaceId: string,
  cookie: string | undefined,
  response: URLSearchParams,
): Promise<SignedIn> {
  const attempt = openAttempt(open, placeOf(open, { workspaceId }), cookie, response.get('state'));
  const provider = await providerOf(open, { workspaceId });
  if (provider.issuer !== attempt.issuer) {
    throw new SignInProblem('attempt_expired', 'the provider of the workspace was changed');
  }
  await consumeState(open, provider, attempt);
  const client = clientOf(open.services, provider);
  try {
    const claims = await open.services.ports.oidc.claimsOf(client, attempt, response).catch(signInProblem);
    return await admitMember(open, provider, await verifiedPerson(open, workspaceId, claims));
  } catch (error) {
    if (error instanceof SignInProblem)
      open.services.stores.credentialUse.recordFailedSignOn(workspaceId, error, open.request);
    throw error;
  }
}

function placeOf({ services }: PublicContext, { workspaceId }: Pick<SsoProvider, 'workspaceId'>): SignInPlace {
  return { workspaceId, name: workspaceId, redirectUri: redirectUri(services, workspaceId) };
}

async function providerOf({ services }: PublicContext, { workspaceId, domain }: SignOnTarget): Promise<SsoProvider> {
  const { prisma } = services.stores;
  const id =
    workspaceId ??
    (domain && (await prisma.signInDomain.findUnique({ where: { domain: domain.toLowerCase() } }))?.workspaceId);
  const provider = id ? await prisma.ssoProvider.findUnique({ where: { workspaceId: id } }) : null;
  if (provider) return provider;
  throw new SignInProblem('no_provider', 'the workspace or domain has no provider');
}

const CODES = {
  failed: 'provider_failed',
  denied: 'provider_denied',
  invalid: 'response_invalid',
} as const satisfies Record<OidcFailure, string>;

/** @throws {SignInProblem} for an error of the provider */
export function signInProblem(error: unknown): never {
  if (error instanceof OidcError) throw new SignInProblem(CODES[error.failure], error.message);
  throw error;
}
