import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { DEMO_MODEL } from './contract/model-name.ts';
import { openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { rowSecurityIsActive } from './db/session.ts';
import { expireCalls } from './domain/agent/queue/expired-calls.ts';
import { QueuedRuns } from './domain/agent/queue/queued-runs.ts';
import type { Services } from './domain/context.ts';
import { closeDemoPages, type FirstStart, firstStart, knowsKey } from './domain/first-start.ts';
import { abandonLeases } from './domain/leases/lease-sql.ts';
import { RetentionSweeper } from './domain/retention/sweeper.ts';
import { WebhookDispatcher } from './domain/webhooks/dispatcher.ts';
import { WEBHOOK_PACE, type WebhookPace } from './domain/webhooks/pace.ts';
import { publicSchema } from './graphql/schema/schema.ts';
import { loadTrustedDocuments } from './graphql/server/trusted-documents.ts';
import { GracefulShutdown, type ShutdownTimes } from './ops/graceful-shutdown.ts';
import type { GuardSettings } from './outbound/guard.ts';
import { openServices } from './services.ts';

/** A running service, without its listening socket. */
export interface Service {
  readonly app: Express;
  readonly services: Services;
  /** The generated credentials. Undefined unless this start initialized the database. */
  readonly firstStart: FirstStart | undefined;
  /**
   * Stops the service without losing a turn: rejects new requests after `times`, waits up to `graceMs` for running turns,
   * and closes everything. `server` is the socket that it listens on.
   */
  close(server: Server | undefined, graceMs: number, times?: ShutdownTimes): Promise<void>;
}

/** Options for tests. */
export interface ServiceOptions {
  readonly onStatement?: (sql: string) => void;
  /** Which addresses the service can call for users. Default: public addresses only. */
  readonly outbound?: GuardSettings;
  /** The schedule of webhook attempts. Default: WIRE 12. */
  readonly webhooks?: WebhookPace;
}

const NO_ROW_SECURITY =
  'row-level security is not active: the database user cannot switch to the role parley_service. Create the role and grant it to the user (see docs/operations.md, Row-level security).';

const IMMEDIATE: ShutdownTimes = { delayMs: 0, openConnectionsMs: 0 };

/** Opens the database, applies missing migrations, and creates the service. `root` contains `schema/` and `prisma/`. */
export async function openService(
  config: Config,
  root: string,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Service> {
  const database = await openDatabase(config.database, options.onStatement);
  const applied = await migrate(database, root);
  if (applied.length > 0) log.info({ migrations: applied }, 'applied migrations');
  if (!(await rowSecurityIsActive(database.pool))) log.warn({}, NO_ROW_SECURITY);
  const hasDemoModel = config.defaultModel === DEMO_MODEL;
  const initialized = await firstStart(database.prisma, { ...config.bootstrap, hostedPages: hasDemoModel });
  if (!hasDemoModel && (await closeDemoPages(database.prisma)) > 0) {
    log.warn({}, 'turned off the public pages of the demo deployments, because DEFAULT_MODEL costs tokens');
  }
  const { apiKey } = config.bootstrap;
  if (!initialized && apiKey && !(await knowsKey(database.prisma, apiKey.secret))) {
    log.warn(
      {},
      'BOOTSTRAP_API_KEY is ignored: it is not a key of this database, and only an empty database accepts a new one',
    );
  }

  const shared = await openServices(config, database, log, options.outbound);
  const { services, metrics, draining } = shared;
  if (database.embedded) await abandonLeases(database.prisma);
  const now = () => new Date();
  const webhooks = new WebhookDispatcher({ ...services, now }, options.webhooks ?? WEBHOOK_PACE);
  const queuedRuns = new QueuedRuns(services);
  const retention = new RetentionSweeper(services);
  const shutdown = new GracefulShutdown();
  const app = createApp({
    root,
    services,
    database,
    metrics,
    log,
    trustProxy: config.trustProxy,
    shutdown,
    metricsToken: config.metricsToken,
    documents: {
      introspection: config.introspection,
      federation: config.federation,
      trusted: loadTrustedDocuments(publicSchema, root, config.trustedDocuments),
      maxDepth: config.maxQueryDepth,
      maxCost: config.maxQueryCost,
      timeoutMs: config.requestTimeoutMs,
    },
  });
  services.runs.start();
  queuedRuns.start();
  services.leases.start({
    failureMessage: 'expired calls cannot be handled',
    recover: () => expireCalls(services),
  });
  services.liveTurns.start();
  services.idempotency.start();
  webhooks.start();
  retention.start();
  return {
    app,
    services,
    firstStart: initialized,
    async close(server, graceMs, { delayMs, openConnectionsMs } = IMMEDIATE) {
      const closed = server && once(server, 'close');
      await shutdown.stopListening(server, delayMs);
      const deadline = performance.now() + graceMs;
      draining.abort();
      await shutdown.stopAccepting(server, openConnectionsMs);
      const leftMs = Math.max(0, deadline - performance.now());
      await queuedRuns.drain();
      await Promise.all([services.runs.drain(leftMs), webhooks.drain(leftMs), retention.drain()]);
      // The remaining connections do not belong to a turn.
      setTimeout(() => server?.closeAllConnections(), 1_000).unref();
      await closed;
      await Promise.all([services.leases.stop(), services.idempotency.close(), services.liveTurns.close()]);
      await shared.close();
      await database.close();
    },
  };
}
