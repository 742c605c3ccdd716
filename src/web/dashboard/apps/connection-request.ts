import type { ResultOf } from 'gql.tada';
import type { CONNECTION_REQUEST } from './documents.ts';

/** An app that asks for access. */
export type ConnectionRequest = NonNullable<ResultOf<typeof CONNECTION_REQUEST>['connectionRequest']>;

/** The route of the page on which a member answers an app. It has no navigation, so it is not a page of the shell. */
export const CONNECT_ROUTE = '/connect/:requestId';
