import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../../schema/introspection.d.ts';

/** Documents whose types the compiler reads from the schema itself, so that a wrong one fails the check. */
const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown; JSONObject: Record<string, unknown>; SafeInt: number; UUID: string };
}>();

export const RESOURCES = graphql(`
  query Resources($first: Int!, $after: String) {
    resources(first: $first, after: $after) {
      edges { cursor node { id resourceId type fields createdAt } }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
`);

export const CREATE = graphql(`
  mutation Create($input: CreateResourceInput!) {
    createResource(input: $input) { id resourceId type }
  }
`);

export const FEED = graphql(`
  subscription Feed($after: String) {
    eventAppended(after: $after) { cursor event { id type resourceId } }
  }
`);
