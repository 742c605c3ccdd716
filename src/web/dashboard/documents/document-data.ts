import type { ResultOf } from 'gql.tada';
import type { DOCUMENT } from './documents.ts';

export type DocumentData = NonNullable<ResultOf<typeof DOCUMENT>['document']>;
