import { initGraphQLTada, type ResultOf } from 'gql.tada';
import type { introspection } from '../../schema/introspection.d.ts';

/** Documents with types from the schema, so that the compiler rejects a wrong one. */
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
    createResource(input: $input) {
      __typename
      ... on CreateResourcePayload { resource { id resourceId type } }
      ... on Error { code message path }
    }
  }
`);

/** The resource of the payload. @throws if the mutation returned an error */
export function createdResource(data: ResultOf<typeof CREATE> | null | undefined) {
  const result = data?.createResource;
  if (result?.__typename !== 'CreateResourcePayload') throw new Error(JSON.stringify(data));
  return result.resource;
}

export const FEED = graphql(`
  subscription Feed($after: String) {
    eventAppended(after: $after) { cursor event { id type resourceId } }
  }
`);
