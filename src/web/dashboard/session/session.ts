import type { ResultOf } from 'gql.tada';
import { createContext, useContext } from 'react';
import { enumNameOf } from '../../../contract/enum-names.ts';
import type { Scope } from '../../../contract/scopes.ts';
import type { ME } from './documents.ts';

/** The signed-in user. */
export type Me = NonNullable<ResultOf<typeof ME>['me']>;

export const Session = createContext<Me | null>(null);

/** The signed-in user, on any page that requires the sign-in. */
export function useMe(): Me {
  const me = useContext(Session);
  if (!me) throw new Error('useMe needs a signed-in user.');
  return me;
}

/** Whether the signed-in user has a scope. */
export function usePermission(scope: Scope): boolean {
  return useMe().scopes.includes(enumNameOf(scope));
}
