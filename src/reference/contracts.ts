import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { openApiDocument } from '../rest/openapi.ts';
import { loadRoutes } from '../rest/router.ts';

/**
 * The OpenAPI document as text. `root` contains `schema/` and `package.json`, which has the version. `url` is the base URL
 * of the service.
 */
export function openApiText(schema: GraphQLSchema, root: string, url?: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return `${JSON.stringify(openApiDocument(schema, loadRoutes(schema, root), { version, ...(url && { url }) }), null, 2)}\n`;
}
