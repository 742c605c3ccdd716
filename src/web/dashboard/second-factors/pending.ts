import type { ResultOf } from 'gql.tada';
import type { RequestError } from '../request-error.ts';
import type { SIGN_IN } from '../session/documents.ts';

/** A sign-in that needs a second factor. */
export type PendingSignIn = Extract<
  ResultOf<typeof SIGN_IN>['signIn'],
  { readonly __typename: 'SecondFactorRequired' }
>;

/** The sign-in that the error of a mutation describes. */
export function pendingOf({ returned }: RequestError): PendingSignIn | undefined {
  return returned?.__typename === 'SecondFactorRequired' ? (returned as unknown as PendingSignIn) : undefined;
}
