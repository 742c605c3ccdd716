import { extendSchema, type GraphQLSchema, parse } from 'graphql';

/** The methods that a document's path can have, by the kind of its operation. A GET must not change anything. */
export const METHODS_OF_KIND = { query: ['get', 'post'], mutation: ['post', 'put', 'patch', 'delete'] } as const;

/** The statuses of a successful call, by the kind of the operation. */
export const STATUSES_OF_KIND: Readonly<Record<'query' | 'mutation', readonly number[]>> = {
  query: [200],
  mutation: [200, 201, 204],
};

/** The headers that a document can name. Others carry credentials, or belong to the service. */
export const VARIABLE_HEADER = 'If-Match';
export const FIELD_HEADER = 'ETag';

/** Directives that have no meaning for GraphQL clients. They are not part of the trusted text. */
export const OWN_DIRECTIVES: ReadonlySet<string> = new Set(['rest', 'tool', 'header', 'spread', 'optional']);

/**
 * The directives of published documents: a part of those of `schema/rest`. What is missing there would let a document
 * change how the service treats its callers.
 */
const DIRECTIVES = parse(`
  directive @rest(
    get: String, post: String, put: String, patch: String, delete: String, unwrap: Boolean! = false, status: Int! = 200
  ) on QUERY | MUTATION
  directive @tool(title: String, destructive: Boolean) on QUERY | MUTATION
  directive @spread on FIELD
  directive @optional on FIELD
  directive @header(name: String!) on VARIABLE_DEFINITION | FIELD
`);

/** The schema that published documents are validated against. */
export function withDocumentDirectives(schema: GraphQLSchema): GraphQLSchema {
  return extendSchema(schema, DIRECTIVES);
}
