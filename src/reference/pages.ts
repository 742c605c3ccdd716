import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { file, type ReadFile } from '../pages/file.ts';
import { refuseMethod } from '../rest/router.ts';
import { openApiText, schemaText } from './contracts.ts';

/**
 * What the pages may do: use this server's own files and ask this server, and nothing else. Styles may be inline, for
 * both pages make theirs as they run. Nothing asks for https, so they work by plain http on a machine's own address too.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

const readOnly = refuseMethod('GET, HEAD, OPTIONS');

/**
 * The contracts and their pages (WIRE 13): `/schema.graphql`, `/openapi.json`, the REST reference at `/docs`, and the
 * explorer, which a browser that asks for a page at `/graphql` gets. `root` holds `public/`, `schema/` and `package.json`.
 */
export function referencePages(schema: GraphQLSchema, root: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const own = (path: string) => () => readFileSync(join(root, 'public', path));
  const served: Readonly<Record<string, RequestHandler>> = {
    '/schema.graphql': file('text/plain; charset=utf-8', () => schemaText(schema)),
    '/openapi.json': file('application/json; charset=utf-8', () => openApiText(schema, root)),
    '/docs': page(own('docs/page.html')),
    '/docs/page.js': file(TYPES.js, own('docs/page.js')),
    '/docs/page.css': file(TYPES.css, own('docs/page.css')),
    '/docs/swagger-ui.js': file(TYPES.js, swaggerUi('swagger-ui-bundle.js')),
    '/docs/swagger-ui.css': file(TYPES.css, swaggerUi('swagger-ui.css')),
    '/explorer/page.js': file(TYPES.js, own('explorer/page.js')),
    '/explorer/page.css': file(TYPES.css, own('explorer/page.css')),
    '/explorer/graphiql.js': file(TYPES.js, graphiql('js')),
    '/explorer/graphiql.css': file(TYPES.css, graphiql('css')),
    '/explorer/editor.worker.js': file(TYPES.js, graphiql('editorWorkerService')),
    '/explorer/graphql.worker.js': file(TYPES.js, graphiql('graphqlWorker')),
    '/explorer/json.worker.js': file(TYPES.js, graphiql('jsonWorker')),
  };
  for (const [path, serve] of Object.entries(served)) router.route(path).get(serve).all(readOnly);
  router.get('/graphql', forBrowsers(page(own('explorer/page.html'))));
  return router;
}

/** A page that runs under {@link POLICY}. */
function page(read: ReadFile): RequestHandler {
  const serve = file(TYPES.html, read);
  return (request, response, next) => {
    response.setHeader('Content-Security-Policy', POLICY);
    return serve(request, response, next);
  };
}

/** Only browsers ask for a page by its name: what takes anything asks for an answer. */
function forBrowsers(serve: RequestHandler): RequestHandler {
  return (request, response, next) => {
    response.vary('Accept');
    return request.get('accept')?.includes('text/html') ? serve(request, response, next) : next();
  };
}

function swaggerUi(name: string): ReadFile {
  return () => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}

/** A part of GraphiQL. Megabytes, so they are loaded once a browser asks for one. */
function graphiql(part: 'js' | 'css' | 'editorWorkerService' | 'graphqlWorker' | 'jsonWorker'): ReadFile {
  return async () => (await import('@graphql-yoga/render-graphiql/graphiql'))[part];
}
