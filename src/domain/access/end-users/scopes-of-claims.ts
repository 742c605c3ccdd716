import { END_USER_SCOPES } from '../../../contract/scopes.ts';

type EndUserScope = (typeof END_USER_SCOPES)[number];

/**
 * The scopes that the claims of an issuer give an end user: text with spaces, as in OAuth, or a list. Other scopes than those
 * of end users are ignored. Without a claim in the settings, every user has all of them.
 */
export function scopesOfClaims(
  claim: string | null,
  claims: Readonly<Record<string, unknown>>,
): readonly EndUserScope[] {
  if (claim === null) return END_USER_SCOPES;
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const named: unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return END_USER_SCOPES.filter((scope) => named.includes(scope));
}
