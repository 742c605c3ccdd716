import express, { type Express } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { isMigrated } from './db/migrate.ts';
import type { Services } from './domain/context.ts';
import type { DocumentRules } from './graphql/bounded-documents.ts';
import { allowlistedOrigins } from './graphql/cross-origin.ts';
import { schema } from './graphql/schema.ts';
import { createGraphqlServer } from './graphql/server.ts';
import type { Departure } from './ops/departure.ts';
import { healthz, readyz } from './ops/health.ts';
import { requestLog } from './ops/log.ts';
import type { Metrics } from './ops/metrics.ts';
import { pages } from './pages/router.ts';
import { referencePages } from './reference/pages.ts';
import { readBody } from './rest/body.ts';
import { errorAnswers, loadRoutes, refuseMethod, restRouter, unknownPath } from './rest/router.ts';

/** What the HTTP stack is made of. */
export interface AppParts {
  /** The folder that holds `schema/`, `prisma/`, `public/` and `dist/web/`. */
  readonly root: string;
  readonly services: Services;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** As Express takes it: hops, addresses, or none. */
  readonly trustProxy: number | string | false;
  readonly departure: Departure;
  readonly documents: DocumentRules;
}

/** The order of the HTTP stack. */
export function createApp({
  root,
  services,
  database,
  metrics,
  log,
  trustProxy,
  departure,
  documents,
}: AppParts): Express {
  const app = express()
    .disable('x-powered-by')
    .set('query parser', 'simple')
    .set('etag', false)
    .set('trust proxy', trustProxy);
  app.use(requestLog(log), metrics.countRequests, departure.farewell, helmet());
  app.route('/healthz').get(healthz).all(readOnly);
  app
    .route('/readyz')
    .get(readyz({ accepting: () => departure.accepting, migrated: () => isMigrated(database, root) }))
    .all(readOnly);
  app.route('/metrics').get(metrics.expose).all(readOnly);
  app.use(allowlistedOrigins(services), departure.whileHere, readBody);
  // First, as what is before a path costs each of its requests.
  app.use(restRouter(schema, loadRoutes(schema, root), services, documents.timeoutMs));
  if (documents.introspection) app.use(referencePages(schema, root));
  app.use(pages(services, root, { reference: documents.introspection }));
  app.use('/graphql', createGraphqlServer(schema, services, documents));
  app.use(unknownPath, errorAnswers(services));
  return app;
}

const readOnly = refuseMethod('GET, HEAD, OPTIONS');
