import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import express, { type ErrorRequestHandler, type Router } from 'express';
import { ERROR_CODES, ServiceError } from '../contract/errors.ts';
import { hostedDeployment } from '../domain/access/visitors.ts';
import type { Services } from '../domain/context.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../domain/first-start.ts';
import { hasSessionCookie } from '../graphql/cookies.ts';
import { refuseMethod } from '../rest/router.ts';
import { loadPages, type SendPage } from './document.ts';
import { file, IMMUTABLE } from './file.ts';
import { hostedPages } from './hosted.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const readOnly = refuseMethod('GET, HEAD, OPTIONS');

/**
 * The pages for people: `/`, `/dashboard`, the hosted pages, and the widget that shows one of them on other sites.
 * `root` holds `dist/web`; `reference` says whether the explorer and the reference are there to be pointed at.
 * @throws {Error} where the pages are not built
 */
export function pages(services: Services, root: string, { reference }: { readonly reference: boolean }): Router {
  const directory = join(root, 'dist/web');
  const send = loadPages(directory);
  const router = express.Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (_request, response) => {
      const data = { reference, demos: await demosOf(services) };
      send(response, 'landing', { title: 'Parley', data });
    })
    .all(readOnly);
  router
    .route('/dashboard{/*rest}')
    .get((request, response) => {
      const data = { hasSession: hasSessionCookie(services, request) };
      send(response, 'dashboard', { title: 'Dashboard · Parley', data });
    })
    .all(readOnly);
  router.use(assets(directory), hostedPages(services, send, readOnly), errorPages(send));
  return router;
}

/** What pages load: named by its content, but for the widget's script, which sites load by its name. */
function assets(directory: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const read = (path: string) => () => readFileSync(join(directory, path));
  const served = new Map(
    readdirSync(join(directory, 'assets')).map((name) => {
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      return [name, file(type, read(`assets/${name}`), IMMUTABLE)];
    }),
  );
  // One route for all of them: every request of any path is held against each route before its own.
  router
    .route('/assets/:name')
    .all(({ params }, _response, next) => next(served.has(params.name) ? undefined : 'route'))
    .get((request, response, next) => served.get(request.params.name)?.(request, response, next))
    .all(readOnly);
  router
    .route('/widget.js')
    .get(
      (_request, response, next) => {
        response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
        next();
      },
      file('text/javascript; charset=utf-8', read('widget.js')),
    )
    .all(readOnly);
  return router;
}

interface Demo {
  readonly name: string;
  readonly path: string;
  readonly deploymentId: string;
}

/** The demo's pages, as long as they are there: they tell nothing, for their ids are the same everywhere. */
async function demosOf({ prisma }: Services): Promise<Demo[]> {
  const found = await Promise.all([DEMO_CHAT_ID, DEMO_AGENT_ID].map((id) => hostedDeployment(prisma, id)));
  return found.flatMap((demo) =>
    demo ? [{ name: demo.name, path: `/${demo.kind}/${demo.id}`, deploymentId: demo.id }] : [],
  );
}

/** People are told what is wrong by a page, and programs as ever. */
function errorPages(send: SendPage): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (!(error instanceof ServiceError) || !request.get('accept')?.includes('text/html')) return next(error);
    response.vary('Accept');
    response.status(ERROR_CODES[error.code].status);
    send(response, 'missing', { title: 'Parley', data: { code: error.code } });
  };
}
