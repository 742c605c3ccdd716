import { graphql } from '../graphql.ts';

export const VERSION_DIFF = graphql(`
  query VersionDiff($workflowId: ID!, $from: Int, $to: Int) {
    workflowVersionDiff(workflowId: $workflowId, from: $from, to: $to) { path before after }
  }
`);
