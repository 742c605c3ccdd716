import type { ResultOf } from 'gql.tada';
import type { EnumName } from '../../../contract/enum-names.ts';
import type { Scope } from '../../../contract/scopes.ts';
import type { CONNECTION_REQUEST } from './documents.ts';

/** An app that asks for access. */
export type ConnectionRequest = NonNullable<ResultOf<typeof CONNECTION_REQUEST>['connectionRequest']>;

/** What the member gives the app. */
export interface AccessValues {
  environment: 'LIVE' | 'TEST';
  scopes: EnumName<Scope>[];
}

/** The route of the page on which a member answers an app. It has no navigation, so it is not a page of the shell. */
export const CONNECT_ROUTE = '/connect/:requestId';
