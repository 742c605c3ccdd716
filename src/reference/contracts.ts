import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { openApiDocument } from '../rest/openapi.ts';
import { loadRoutes } from '../rest/router.ts';

/** The GraphQL schema as text, in an order that the code's own order does not show in. */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** The OpenAPI document as text. `root` holds `package.json`, whose version is the document's, and `schema/`. */
export function openApiText(schema: GraphQLSchema, root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return `${JSON.stringify(openApiDocument(schema, loadRoutes(schema, root), version), null, 2)}\n`;
}
