import { z } from 'zod';
import { LIMITS } from '../../../contract/limits.ts';
import type { PublicContext } from '../../context.ts';
import { hashToken, newSignInSecret } from '../tokens.ts';
import type { OidcAttempt } from './oidc-port.ts';
import { SignInProblem } from './problem.ts';

const attempt = z.object({
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  until: z.number(),
  request: z.string().optional(),
});

/** Where people sign in: at the provider of members of a workspace, or at the issuer of end users. */
export interface SignInPlace {
  readonly workspaceId: string;
  /** The only place where the cookie of the attempt works. */
  readonly name: string;
  readonly redirectUri: string;
}

/** An attempt that waits for the response of the provider. */
export interface SignInAttempt extends OidcAttempt {
  readonly issuer: string;
  readonly until: Date;
  /** The request of an app for which an end user signs in. */
  readonly request?: string | undefined;
}

/** Starts an attempt. `cookie` is for the browser: encrypted, and bound to the place. */
export function newAttempt(
  open: PublicContext,
  place: SignInPlace,
  { issuer, request }: Pick<SignInAttempt, 'issuer' | 'request'>,
): { readonly attempt: SignInAttempt; readonly cookie: string } {
  const { services } = open;
  const until = new Date(open.now().getTime() + LIMITS.singleSignOnMinutes * 60_000);
  const secrets = { state: newSignInSecret(), nonce: newSignInSecret(), codeVerifier: newSignInSecret() };
  const text = JSON.stringify({ issuer, request, ...secrets, until: until.getTime() } satisfies z.infer<
    typeof attempt
  >);
  return {
    attempt: { issuer, request, ...secrets, until, redirectUri: place.redirectUri },
    cookie: Buffer.from(services.settings.secretBox.seal(text, ownerOf(place))).toString('base64url'),
  };
}

/**
 * Reads the attempt of the browser, if the response belongs to it.
 * @throws {SignInProblem} attempt_expired
 */
export function openAttempt(
  open: PublicContext,
  place: SignInPlace,
  cookie: string | undefined,
  state: string | null,
): SignInAttempt {
  const found = cookie === undefined ? undefined : readCookie(open, place, cookie);
  if (!found || found.until <= open.now() || found.state !== state) {
    throw new SignInProblem('attempt_expired', 'the response does not belong to an attempt of this browser');
  }
  return found;
}

function readCookie({ services }: PublicContext, place: SignInPlace, cookie: string): SignInAttempt | undefined {
  try {
    const text = services.settings.secretBox.open(Buffer.from(cookie, 'base64url'), ownerOf(place));
    const { until, ...rest } = attempt.parse(JSON.parse(text));
    return { ...rest, until: new Date(until), redirectUri: place.redirectUri };
  } catch {
    // Another place's cookie, or a changed one.
    return undefined;
  }
}

/**
 * Uses up the state of an attempt, so that the same response does not work twice.
 * @throws {SignInProblem} attempt_expired
 */
export async function consumeState(
  { services, now }: PublicContext,
  { workspaceId }: Pick<SignInPlace, 'workspaceId'>,
  { state, until: expiresAt }: SignInAttempt,
): Promise<void> {
  const { prisma } = services.stores;
  await prisma.usedSignInState.deleteMany({ where: { expiresAt: { lte: now() } } });
  const data = [{ stateHash: hashToken(state), workspaceId, expiresAt }];
  const { count } = await prisma.usedSignInState.createMany({ data, skipDuplicates: true });
  if (count === 0) throw new SignInProblem('attempt_expired', 'the response was used before');
}

function ownerOf({ name }: SignInPlace): string {
  return `sign-in attempt at ${name}`;
}
