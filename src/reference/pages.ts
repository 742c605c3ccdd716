import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { printSdl } from '../graphql/sdl/print.ts';
import { rejectMethod } from '../http/unrouted.ts';
import { file, type ReadFile } from '../pages/file.ts';
import { openApiText } from './contracts.ts';

/**
 * The content security policy: pages use only files and APIs of this service. Both pages create inline styles. The policy
 * does not require https, so that pages also work over http on a local address.
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

const readOnly = rejectMethod('GET, HEAD, OPTIONS');

interface Contracts {
  readonly publicSchema: GraphQLSchema;
  /** The schema of the REST documents. */
  readonly internalSchema: GraphQLSchema;
  /** The base URL that clients use. */
  readonly publicUrl: string;
}

/**
 * The contracts and their pages: `/schema.graphql`, `/openapi.json`, the REST reference at `/docs`, and the
 * GraphQL explorer for browsers at `/graphql`. `root` contains `public/`, `schema/` and `package.json`.
 */
export function referencePages({ publicSchema, internalSchema, publicUrl }: Contracts, root: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const own = (path: string) => () => readFileSync(join(root, 'public', path));
  const served: Readonly<Record<string, RequestHandler>> = {
    '/schema.graphql': file('text/plain; charset=utf-8', () => printSdl(publicSchema)),
    '/openapi.json': file('application/json; charset=utf-8', () =>
      openApiText(internalSchema, root, reachable(publicUrl)),
    ),
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

/** Undefined if the operating system chooses the port. */
function reachable(url: string): string | undefined {
  return new URL(url).port === '0' ? undefined : url;
}

/** A page that runs under {@link POLICY}. */
function page(read: ReadFile): RequestHandler {
  const serve = file(TYPES.html, read);
  return (request, response, next) => {
    response.setHeader('Content-Security-Policy', POLICY);
    return serve(request, response, next);
  };
}

/** Serves a page only to clients that accept `text/html` explicitly: browsers. */
function forBrowsers(serve: RequestHandler): RequestHandler {
  return (request, response, next) => {
    response.vary('Accept');
    return request.get('accept')?.includes('text/html') ? serve(request, response, next) : next();
  };
}

function swaggerUi(name: string): ReadFile {
  return () => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}

/** A part of GraphiQL. It has megabytes, so it is loaded on the first request. */
function graphiql(part: 'js' | 'css' | 'editorWorkerService' | 'graphqlWorker' | 'jsonWorker'): ReadFile {
  return async () => (await import('@graphql-yoga/render-graphiql/graphiql'))[part];
}
