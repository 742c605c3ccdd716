import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { isMigrated } from './db/migrate.ts';
import type { Services } from './domain/context.ts';
import { fileRoutes } from './files/routes.ts';
import { subgraphOf } from './graphql/federation/subgraph.ts';
import { internalSchema, publicSchema } from './graphql/schema/schema.ts';
import type { DocumentRules } from './graphql/server/document-limits.ts';
import { postedQueries } from './graphql/server/posted-queries.ts';
import { createGraphqlServer } from './graphql/server/server.ts';
import { explainBearer } from './http/bearer-challenge.ts';
import { closeUnread } from './http/body/close-unread.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { overrideMethod } from './http/method-override.ts';
import { apiHeaders } from './http/response-headers.ts';
import { countUnrouted, rejectMethod, rejectUnknownPath } from './http/unrouted.ts';
import { Pipeline } from './operation/pipeline.ts';
import type { GracefulShutdown } from './ops/graceful-shutdown.ts';
import { healthz, readyz } from './ops/health.ts';
import { requestLog } from './ops/log.ts';
import type { Metrics } from './ops/metrics.ts';
import { metricsAccess } from './ops/metrics-access.ts';
import { type AuthorizationServer, appPages } from './pages/apps/router.ts';
import { pages } from './pages/router.ts';
import { versionOf } from './reference/contracts.ts';
import { referencePages } from './reference/pages.ts';
import type { PublishedCompiler } from './rest/published/compiler.ts';
import { publishedRouter } from './rest/published/router.ts';
import { loadAllRoutes, reportErrors, restRouter, restRoutes } from './rest/router.ts';
import { mcpRouter } from './transports/mcp/router.ts';
import { reportUiErrors } from './transports/ui/errors.ts';
import { uiRouter } from './transports/ui/router.ts';

/** The dependencies of the HTTP stack. */
export interface AppParts {
  /** The folder that holds `schema/`, `prisma/`, `public/` and `dist/web/`. */
  readonly root: string;
  readonly services: Services;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** In the format of Express: a number of proxies, addresses, or false. */
  readonly trustProxy: number | string | false;
  readonly shutdown: GracefulShutdown;
  readonly authorizationServer: AuthorizationServer;
  readonly documents: DocumentRules;
  readonly compiler: PublishedCompiler;
  readonly metricsToken: string | undefined;
  /** Undefined: tracing is off. */
  readonly requestSpans: RequestHandler | undefined;
}

/** The order of the HTTP stack. */
export function createApp({
  root,
  services,
  database,
  metrics,
  log,
  trustProxy,
  shutdown,
  authorizationServer,
  documents,
  compiler,
  metricsToken,
  requestSpans,
}: AppParts): Express {
  const app = express()
    .disable('x-powered-by')
    .set('query parser', 'simple')
    .set('etag', false)
    .set('case sensitive routing', true)
    .set('strict routing', true)
    .set('trust proxy', trustProxy);
  explainBearer(app, services.settings.publicUrl);
  app.use(requestLog(log));
  if (requestSpans) app.use(requestSpans);
  app.locals.countUnrouted = countUnrouted(services);
  app.use(metrics.countRequests, shutdown.closeConnections, closeUnread, helmet());
  const migrated = () => isMigrated(database, root);
  app.route('/healthz').get(healthz).all(readOnly);
  app
    .route('/readyz')
    .get(
      readyz({
        accepting: () => shutdown.accepting,
        migrated,
        writable: () => database.writability.check(),
        space: () => services.stores.storage.space(),
        unowned: services.process.unownedTurns,
      }),
    )
    .all(readOnly);
  app.route('/metrics').get(metricsAccess(metricsToken), metrics.expose).all(readOnly);
  const served = documents.federation ? subgraphOf(publicSchema, documents) : publicSchema;
  const pipeline = new Pipeline(services, documents);
  app.use(crossOrigin, apiHeaders, shutdown.rejectAfterShutdown, overrideMethod, fileRoutes(services));
  const graphql = createGraphqlServer(served, pipeline, documents);
  // Every earlier middleware adds cost, so the GraphQL and REST APIs come first.
  app.use(postedQueries(graphql));
  const version = versionOf(root);
  const allRoutes = loadAllRoutes(internalSchema, root, { assumeValid: true });
  const routes = restRoutes(allRoutes);
  app.use(restRouter(routes, pipeline), publishedRouter(pipeline, compiler, version));
  app.use(uiRouter(allRoutes, pipeline));
  const access = {
    ...{ schema: publicSchema, compiler, maxCost: documents.maxCost, introspection: documents.introspection },
    anyDocument: documents.trusted.mode !== 'only',
  };
  app.use(mcpRouter(internalSchema, routes, { pipeline, version, ...access }));
  app.use(appPages(services, authorizationServer));
  if (documents.introspection) {
    app.use(referencePages({ publicSchema, internalSchema, publicUrl: services.settings.publicUrl }, root));
  }
  app.use(pages(services, root, { reference: documents.introspection }));
  app.use('/graphql', graphql);
  app.use(rejectUnknownPath, reportUiErrors(services.process), reportErrors(services));
  return app;
}

const readOnly = rejectMethod('GET, HEAD, OPTIONS');
