import { z } from 'zod';
import { LIMITS } from '../../../../contract/limits.ts';
import { END_USER_SCOPES, type Scope } from '../../../../contract/scopes.ts';
import { storableText } from '../../../../contract/storable-text.ts';
import { CREATE_END_USER_TOKEN } from '../../../../shapes/end-users.ts';
import type { PublicContext } from '../../../context.ts';
import type { OidcClaims } from '../../sso/oidc-port.ts';
import { SignInProblem } from '../../sso/problem.ts';
import type { OfferedSignIn } from '../offered-sign-in.ts';
import { scopesOfClaims } from '../scopes-of-claims.ts';

/** An end user who has just signed in at their issuer. */
export interface SignedInUser {
  /** The customer's own ID of the user: `sub`. */
  readonly endUser: string;
  /** What the issuer allows the user. */
  readonly scopes: readonly Scope[];
  /** What the page shows, so that the user notices a wrong account. */
  readonly label: string;
  /** When the issuer says that it signed them in. */
  readonly issuedAt: Date;
}

const claimsOfUser = z.object({ sub: CREATE_END_USER_TOKEN.fields.endUser.rule, iat: z.number() });

/**
 * The user of an ID token. `sub` and the claim with scopes have the rules of a JWT.
 * @throws {SignInProblem} response_invalid
 */
export function userOfClaims(claims: OidcClaims, { scopeClaim }: Pick<OfferedSignIn, 'scopeClaim'>): SignedInUser {
  const parsed = claimsOfUser.safeParse(claims);
  if (!parsed.success || parsed.data.sub !== claims.sub) {
    throw new SignInProblem('response_invalid', 'the ID token has no valid sub or iat');
  }
  const { sub, iat } = parsed.data;
  const names = [claims.name, claims.email, claims.preferred_username, sub].filter((name) => typeof name === 'string');
  const label = names.map(labelOf).find((name) => name !== '') ?? '';
  const scopes = scopesOfClaims(scopeClaim, { ...claims });
  return { endUser: sub, scopes, label, issuedAt: new Date(iat * 1_000) };
}

/** What the app asked for and the issuer allows the user. */
export function grantedScopes(asked: readonly Scope[], { scopes }: SignedInUser): Scope[] {
  return scopes.filter((scope) => asked.includes(scope));
}

/** A name from outside, in one line. */
function labelOf(name: string): string {
  return storableText(
    name
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
      .trim()
      .slice(0, LIMITS.personNameLength),
  );
}

const sealed = z.object({
  endUser: z.string(),
  scopes: z.array(z.enum(END_USER_SCOPES)),
  scopeClaim: z.string().nullable(),
  label: z.string(),
  issuedAt: z.number(),
  issuer: z.string(),
  clientId: z.string(),
  until: z.number(),
});

/** For which decision a sign-in counts. */
interface SignInUse {
  readonly requestId: string;
  readonly offered: OfferedSignIn;
}

/** The cookie of a sign-in. */
export interface SealedUser {
  readonly cookie: string;
  readonly until: Date;
}

/** Encrypts the user for the browser. The value works only for one request of an app. */
export function sealUser(
  { services }: PublicContext,
  { requestId, offered, until }: SignInUse & { readonly until: Date },
  { endUser, scopes, label, issuedAt }: SignedInUser,
): SealedUser {
  const { issuer, clientId, scopeClaim } = offered;
  const at = { issuedAt: issuedAt.getTime(), until: until.getTime() };
  const user = { endUser, scopes, label, issuer, clientId, scopeClaim, ...at };
  const box = services.settings.secretBox;
  const text = JSON.stringify(user);
  return { cookie: Buffer.from(box.seal(text, ownerOf({ requestId, offered }))).toString('base64url'), until };
}

/** The user who signed in in this browser for this request. Undefined: nobody did, or the issuer has changed. */
export function openUser(
  { services, now }: PublicContext,
  use: SignInUse,
  cookie: string | undefined,
): SignedInUser | undefined {
  const user = cookie === undefined ? undefined : readCookie(services, use, cookie);
  if (!user || user.until <= now().getTime() || !isOfOffer(user, use.offered)) return undefined;
  const { endUser, scopes, label } = user;
  return { endUser, scopes, label, issuedAt: new Date(user.issuedAt) };
}

function isOfOffer(user: z.infer<typeof sealed>, offered: OfferedSignIn): boolean {
  return (['issuer', 'clientId', 'scopeClaim'] as const).every((name) => user[name] === offered[name]);
}

function readCookie({ settings: { secretBox } }: PublicContext['services'], use: SignInUse, cookie: string) {
  try {
    return sealed.parse(JSON.parse(secretBox.open(Buffer.from(cookie, 'base64url'), ownerOf(use))));
  } catch {
    // The cookie of another request, or a changed one.
    return undefined;
  }
}

function ownerOf({ requestId, offered }: SignInUse): string {
  return `end user at ${offered.deployment.id} in ${offered.environment.id} for ${requestId}`;
}
