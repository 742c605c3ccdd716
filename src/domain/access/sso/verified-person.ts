import { LIMITS } from '../../../contract/limits.ts';
import { emailRule } from '../../../shapes/accounts.ts';
import type { PublicContext } from '../../context.ts';
import type { OidcClaims } from './oidc-port.ts';
import { SignInProblem } from './problem.ts';

/** A person whom the provider vouches for. The domain of `email` belongs to the workspace. */
export interface VerifiedPerson {
  /** Their ID at the provider. It stays the same when the email address changes. */
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly claims: OidcClaims;
}

/** The longest ID of OpenID Connect. */
const SUBJECT_LENGTH = 255;

/**
 * Accepts a person only with a verified email address of a domain of the workspace. Otherwise the provider of one
 * workspace could sign in as the members of another one.
 * @throws {SignInProblem} email_not_verified, domain_not_allowed
 */
export async function verifiedPerson(
  { services }: PublicContext,
  workspaceId: string,
  claims: OidcClaims,
): Promise<VerifiedPerson> {
  const { sub: subject, email_verified: isVerified } = claims;
  const email = emailRule.safeParse(claims.email).data;
  // Some providers write the boolean as text.
  if (!email || !(isVerified === true || isVerified === 'true')) {
    throw new SignInProblem('email_not_verified', 'the provider sent no verified email address');
  }
  if (subject.length === 0 || subject.length > SUBJECT_LENGTH || subject.includes('\0')) {
    throw new SignInProblem('response_invalid', 'the ID of the person has no valid length');
  }
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if ((await services.stores.prisma.signInDomain.count({ where: { domain, workspaceId } })) === 0) {
    throw new SignInProblem('domain_not_allowed', 'the email address belongs to no domain of the workspace');
  }
  return { subject, email, name: nameOf(claims, email), claims };
}

/** The display name of a new account. */
function nameOf({ name }: OidcClaims, email: string): string {
  const text = typeof name === 'string' ? name.replace(/\p{C}+/gu, ' ').trim() : '';
  return (text || email.slice(0, email.lastIndexOf('@'))).slice(0, LIMITS.personNameLength);
}
