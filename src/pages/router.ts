import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Router } from 'express';
import { BRANDING_LANGUAGES } from '../contract/branding/branding.ts';
import { ERROR_CODES, ServiceError } from '../contract/errors.ts';
import { hostedDeployment } from '../domain/access/visitors.ts';
import type { Services } from '../domain/context.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../domain/first-start.ts';
import { exchangeOf } from '../http/exchange.ts';
import { rejectMethod } from '../http/unrouted.ts';
import { hasSessionCookie } from '../operation/cookies.ts';
import { AssetFiles } from './assets.ts';
import { brandingFiles } from './branding.ts';
import { connectPages } from './connect.ts';
import { loadPages, type SendPage } from './document.ts';
import { file } from './file.ts';
import { guidePages } from './guides.ts';
import { hostedPages } from './hosted.ts';
import { integrationSignInPages } from './integration-sign-in.ts';
import { pageLocale } from './page-locale.ts';
import { signOnPages } from './sign-on.ts';

const readOnly = rejectMethod('GET, HEAD, OPTIONS');

/**
 * The landing page, the dashboard, the hosted pages and the widget script. `root` contains `dist/web`. `reference` says
 * whether the landing page links to the explorer and the REST reference.
 * @throws {Error} if the pages are not built
 */
export function pages(services: Services, root: string, { reference }: { readonly reference: boolean }): Router {
  const directory = join(root, 'dist/web');
  const send = loadPages(directory, services.stores.storage.uploadOrigin);
  const router = express.Router({ caseSensitive: true, strict: true });
  router
    .route('/')
    .get(async (_request, response) => {
      const demos = await demosOf(services);
      send(response, 'landing', { title: 'Parley', data: { reference, demos }, hasFrame: demos.length > 0 });
    })
    .all(readOnly);
  router
    .route('/dashboard{/{*rest}}')
    .get((request, response) => {
      const hasSession = hasSessionCookie(services, exchangeOf(request));
      const data = { hasSession, sendsMail: services.stores.mail.isOn };
      send(response, 'dashboard', { title: 'Dashboard · Parley', data });
    })
    .all(readOnly);
  router.use(
    assets(directory),
    guidePages(root, reference, readOnly),
    hostedPages(services, send, readOnly),
    signOnPages(services, send, readOnly),
    integrationSignInPages(services, readOnly),
    connectPages(services, send, readOnly),
    brandingFiles(services, readOnly),
    errorPages(send),
  );
  return router;
}

/**
 * Scripts and styles. Their names contain a content hash, except the widget's script: sites load it by a fixed name. The
 * folder also has those of the previous release, for pages that are open.
 */
function assets(directory: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const read = (path: string) => () => readFileSync(join(directory, path));
  const files = new AssetFiles(join(directory, 'assets'));
  // One route for all files, because Express tries every route in order.
  router
    .route('/assets/:name')
    .all(({ params }, _response, next) => next(files.find(params.name) ? undefined : 'route'))
    .get((request, response, next) => files.find(request.params.name)?.(request, response, next))
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
  const icon = files.names().find((name) => /^icon-.*\.svg$/.test(name));
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
async function demosOf({ stores: { sql } }: Services): Promise<Demo[]> {
  const deployments = await Promise.all([DEMO_CHAT_ID, DEMO_AGENT_ID].map((id) => hostedDeployment(sql, id)));
  return deployments.flatMap((demo) =>
    demo ? [{ name: demo.name, path: `/${demo.kind}/${demo.id}`, deploymentId: demo.id }] : [],
  );
}

const FRAMED_PATH = /^\/(chat|agent)\//;

/** Shows an error page to browsers. Other clients get an error body. */
function errorPages(send: SendPage): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (!(error instanceof ServiceError) || !request.get('accept')?.includes('text/html')) return next(error);
    response.vary('Accept');
    response.status(ERROR_CODES[error.code].status);
    // A widget can ask for a page that was closed meanwhile. Without this, its frame would show the browser's own error.
    const framed = FRAMED_PATH.test(request.path) ? { frameAncestors: '*' } : {};
    const wish = BRANDING_LANGUAGES.find((known) => known === request.query.lang) ?? 'auto';
    const locale = pageLocale(wish, request);
    send(response, 'missing', { title: 'Parley', locale, data: { code: error.code }, ...framed });
  };
}
