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
  const about = { version: versionOf(root), ...(url && { url }) };
  return `${JSON.stringify(openApiDocument(schema, loadRoutes(schema, root), about), null, 2)}\n`;
}

/** The version of the service. `root` contains `package.json`. */
export function versionOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
