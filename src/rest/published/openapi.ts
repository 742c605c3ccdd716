import { openApiHead, sharedComponents } from '../openapi.ts';
import { DOCUMENTS_TAG } from '../openapi-info.ts';
import type { Route } from '../route.ts';
import type { CompiledDocument } from './compile.ts';
import { FileText } from './file-text.ts';

/** The OpenAPI document of published documents as JSON. */
export async function documentsOpenApi(
  documents: AsyncIterable<CompiledDocument>,
  { version, url = '/' }: { readonly version: string; readonly url?: string },
): Promise<string> {
  const paths = new FileText(',');
  const schemas = new Map<string, string>();
  const routes: Route[] = [];
  for await (const { route, operation, schemas: own } of documents) {
    routes.push(route);
    paths.add(`${JSON.stringify(route.path)}:${JSON.stringify({ [route.method]: operation })}`);
    for (const [name, schema] of Object.entries(own)) {
      if (!schemas.has(name)) schemas.set(name, `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
    }
  }
  const { schemas: shared, ...others } = sharedComponents(routes);
  for (const [name, schema] of Object.entries(shared)) {
    schemas.set(name, `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
  }
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const head = JSON.stringify({ ...openApiHead(version, url), tags: [DOCUMENTS_TAG] });
  const components = `{"schemas":{${sorted.join(',')}},${JSON.stringify(others).slice(1)}`;
  return `${head.slice(0, -1)},"paths":{${paths.text}},"components":${components}}`;
}
