import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../../../schema/introspection.d.ts';
import type { Scope as ScopeName } from '../../contract/scopes.ts';

/**
 * Makes a document whose types the compiler reads from the schema, so that a wrong one fails the check. Every document
 * stands in a file called `documents.ts`, which exports nothing else: `npm run schema` makes the manifest of trusted
 * documents from them.
 */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: {
    AuditAction: string;
    ClientCapability: unknown;
    DateTime: string;
    JSON: unknown;
    JSONObject: Record<string, unknown>;
    ReplyContent: unknown;
    SafeInt: number;
    Scope: ScopeName;
    UUID: string;
  };
}>();
