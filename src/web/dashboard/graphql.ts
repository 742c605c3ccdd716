import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../../../schema/introspection.d.ts';

/**
 * Creates a typed GraphQL document. The compiler checks it against the schema. Documents belong in files named
 * `documents.ts` that export nothing else: `npm run schema` reads those files to build the manifest of trusted
 * documents.
 */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: {
    ClientCapability: unknown;
    DateTime: string;
    JSON: unknown;
    JSONObject: Record<string, unknown>;
    ReplyContent: unknown;
    SafeInt: number;
    UUID: string;
  };
}>();
