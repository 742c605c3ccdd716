import type { ResultOf } from 'gql.tada';
import type { DEPLOYMENT } from './documents.ts';

/** A deployment as its page reads it. */
export type DeploymentData = NonNullable<ResultOf<typeof DEPLOYMENT>['deployment']>;
