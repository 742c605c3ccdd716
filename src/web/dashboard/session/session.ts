import type { ResultOf } from 'gql.tada';
import { createContext, useContext } from 'react';
import type { Scope } from '../../../contract/scopes.ts';
import type { ME } from './documents.ts';

/** Who is signed in. */
export type Me = NonNullable<ResultOf<typeof ME>['me']>;

export const Session = createContext<Me | null>(null);

/** Who is signed in, on any page behind the sign-in. */
export function useMe(): Me {
  const me = useContext(Session);
  if (!me) throw new Error('This page is shown to members alone.');
  return me;
}

/** Whether whoever is signed in may do what needs this scope. */
export function useMay(scope: Scope): boolean {
  return useMe().scopes.includes(scope);
}
