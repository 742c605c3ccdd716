import type { ResultOf } from 'gql.tada';
import type { WORKFLOW } from './documents.ts';

/** A workflow as its page reads it. */
export type WorkflowData = NonNullable<ResultOf<typeof WORKFLOW>['workflow']>;

export type DeploymentOfWorkflow = WorkflowData['deployments']['nodes'][number];
