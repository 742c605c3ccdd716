import type { ResultOf } from 'gql.tada';
import type { MEMBERS } from './documents.ts';

type SignInMethod = ResultOf<typeof MEMBERS>['members']['nodes'][number]['signInMethods'][number];

const NAMES: Readonly<Record<SignInMethod, string>> = { PASSWORD: 'Password', SINGLE_SIGN_ON: 'Single sign-on' };

/** How a member can sign in, in words. */
export function signInMethodNames(methods: readonly SignInMethod[]): string {
  return methods.map((method) => NAMES[method]).join(', ') || 'A new password first';
}
