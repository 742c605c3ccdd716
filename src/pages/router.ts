import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import express, { type ErrorRequestHandler, type Router } from 'express';
import { ERROR_CODES, ServiceError } from '../contract/errors.ts';
import { hostedDeployment } from '../domain/access/visitors.ts';
import type { Services } from '../domain/context.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../domain/first-start.ts';
import { exchangeOf } from '../http/exchange.ts';
import { hasSessionCookie } from '../operation/cookies.ts';
import { rejectMethod } from '../rest/router.ts';
import { loadPages, type SendPage } from './document.ts';
import { file, IMMUTABLE } from './file.ts';
import { guidePages } from './guides.ts';
import { hostedPages } from './hosted.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const readOnly = rejectMethod('GET, HEAD, OPTIONS');

/**
 * The landing page, the dashboard, the hosted pages and the widget script. `root` contains `dist/web`. `reference` says
 * whether the landing page links to the explorer and the REST reference.
 * @throws {Error} if the pages are not built
 */
export function pages(services: Services, root: string, { reference }: { readonly reference: boolean }): Router {
  const directory = join(root, 'dist/web');
  const send = loadPages(directory);
  const router = express.Router({ caseSensitive: true, strict: true });
  router
    .route('/')
    .get(async (_request, response) => {
      const data = { reference, demos: await demosOf(services) };
      send(response, 'landing', { title: 'Parley', data });
    })
    .all(readOnly);
  router
    .route('/dashboard{/{*rest}}')
    .get((request, response) => {
      const data = { hasSession: hasSessionCookie(services, exchangeOf(request)) };
      send(response, 'dashboard', { title: 'Dashboard · Parley', data });
    })
    .all(readOnly);
  router.use(
    assets(directory),
    guidePages(root, reference, readOnly),
    hostedPages(services, send, readOnly),
    errorPages(send),
  );
  return router;
}

/** Scripts and styles. Their names contain a content hash, except the widget's script: sites load it by a fixed name. */
function assets(directory: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const read = (path: string) => () => readFileSync(join(directory, path));
  const files = new Map(
    readdirSync(join(directory, 'assets')).map((name) => {
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      return [name, file(type, read(`assets/${name}`), IMMUTABLE)];
    }),
  );
  // One route for all files, because Express tries every route in order.
  router
    .route('/assets/:name')
    .all(({ params }, _response, next) => next(files.has(params.name) ? undefined : 'route'))
    .get((request, response, next) => files.get(request.params.name)?.(request, response, next))
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
  const icon = [...files].find(([name]) => /^icon-.*\.svg$/.test(name))?.[0];
  // Browsers ask for it on pages that name no icon: guides, contracts and JSON.
  router
    .route('/favicon.ico')
    .get(file('image/svg+xml', read(`assets/${icon}`)))
    .all(readOnly);
  return router;
}

interface Demo {
  readonly name: string;
  readonly path: string;
  readonly deploymentId: string;
}

/** The demo's hosted pages, if they exist. Their IDs are the same in every installation, so they can be public. */
async function demosOf({ prisma }: Services): Promise<Demo[]> {
  const deployments = await Promise.all([DEMO_CHAT_ID, DEMO_AGENT_ID].map((id) => hostedDeployment(prisma, id)));
  return deployments.flatMap((demo) =>
    demo ? [{ name: demo.name, path: `/${demo.kind}/${demo.id}`, deploymentId: demo.id }] : [],
  );
}

/** Shows an error page to browsers. Other clients get an error body. */
function errorPages(send: SendPage): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (!(error instanceof ServiceError) || !request.get('accept')?.includes('text/html')) return next(error);
    response.vary('Accept');
    response.status(ERROR_CODES[error.code].status);
    send(response, 'missing', { title: 'Parley', data: { code: error.code } });
  };
}
