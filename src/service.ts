import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { DEMO_MODEL } from './contract/model-name.ts';
import { type Database, openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { rowSecurityIsActive } from './db/session.ts';
import { authorizationRules } from './domain/access/apps/rules.ts';
import { MailDispatcher } from './domain/access/mail-delivery/dispatcher.ts';
import { MAIL_PACE, type MailPace } from './domain/access/mail-delivery/pace.ts';
import { expireHandling } from './domain/agent/handling/expired-handling.ts';
import { answerAllOwed } from './domain/agent/handling/owed-answers.ts';
import { deleteExpiredPresence } from './domain/agent/presence/expired-presence.ts';
import { continueAffordable } from './domain/agent/queue/affordable-runs.ts';
import { expireCalls } from './domain/agent/queue/expired-calls.ts';
import { QueuedRuns } from './domain/agent/queue/queued-runs.ts';
import type { Services } from './domain/context.ts';
import { setTraceParentSource } from './domain/events/trace-parent.ts';
import { FileSweeper } from './domain/files/sweeper.ts';
import { closeDemoPages, type FirstStart, firstStart, knowsKey } from './domain/first-start.ts';
import { abandonLeases } from './domain/leases/lease-sql.ts';
import { RetentionSweeper } from './domain/retention/sweeper.ts';
import { WebhookDispatcher } from './domain/webhooks/dispatcher.ts';
import { WEBHOOK_PACE, type WebhookPace } from './domain/webhooks/pace.ts';
import { publicSchema } from './graphql/schema/schema.ts';
import { loadTrustedDocuments } from './graphql/server/trusted-documents.ts';
import { createAuthorizationServer } from './identity/authorization-server/server.ts';
import { createSmtp } from './mail/smtp.ts';
import { connectionCookie } from './operation/cookies.ts';
import { GracefulShutdown, type ShutdownTimes } from './ops/graceful-shutdown.ts';
import { LAST_EXPORT_MS, LAST_READS_MS } from './ops/shutdown-times.ts';
import type { GuardSettings } from './outbound/guard.ts';
import { versionOf } from './reference/contracts.ts';
import { PublishedCompiler } from './rest/published/compiler.ts';
import { openServices } from './services.ts';
import type { Telemetry, TelemetrySettings } from './telemetry/open.ts';

/** A running service, without its listening socket. */
export interface Service {
  readonly app: Express;
  readonly services: Services;
  /** The generated credentials. Undefined unless this start initialized the database. */
  readonly firstStart: FirstStart | undefined;
  /** The migrations that this start applied. */
  readonly migrations: { readonly count: number; readonly seconds: number };
  /**
   * Stops the service without losing a turn: rejects new requests after `times`, waits for running turns up to `graceMs`
   * after the delay of `times`, and closes everything. `server` is the socket that it listens on.
   */
  close(server: Server | undefined, graceMs: number, times?: ShutdownTimes): Promise<void>;
}

/** Options for tests. */
export interface ServiceOptions {
  readonly onStatement?: (sql: string) => void;
  /** Which addresses the service can call for users. Default: public addresses only. */
  readonly outbound?: GuardSettings;
  /** The schedule of webhook attempts. Default: `WEBHOOK_PACE`. */
  readonly webhooks?: WebhookPace;
  /** The schedule of attempts to send a mail. */
  readonly mail?: MailPace;
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
  const telemetry = config.telemetry && (await loadTelemetry(config.telemetry, database, root));
  const startedAt = performance.now();
  const applied = await migrate(database, root);
  const migrations = { count: applied.length, seconds: (performance.now() - startedAt) / 1_000 };
  if (applied.length > 0) log.info({ count: applied.length, latest: applied.at(-1) }, 'applied migrations');
  if (!(await rowSecurityIsActive(database.sql))) log.warn({}, NO_ROW_SECURITY);
  const hasDemoModel = config.defaultModel === DEMO_MODEL;
  const initialized = await firstStart(database, { ...config.bootstrap, hostedPages: hasDemoModel });
  if (!hasDemoModel && (await closeDemoPages(database.sql)) > 0) {
    log.warn({}, 'turned off the public pages of the demo deployments, because DEFAULT_MODEL costs tokens');
  }
  const { apiKey } = config.bootstrap;
  if (!initialized && apiKey && !(await knowsKey(database.sql, apiKey.secret))) {
    log.warn(
      {},
      'BOOTSTRAP_API_KEY is ignored: it is not a key of this database, and only an empty database accepts a new one',
    );
  }

  const documents = new PublishedCompiler(publicSchema, {
    maxDepth: config.maxQueryDepth,
    maxCost: config.maxQueryCost,
  });
  const shared = await openServices(config, database, log, { documents, outbound: options.outbound, telemetry });
  const { services, metrics, draining } = shared;
  telemetry?.exportMetrics(metrics.registry);
  if (database.embedded) await abandonLeases(database.sql);
  const now = () => new Date();
  const parts = { ...services.stores, ...services.ports, ...services.settings, ...services.process, now };
  const webhooks = new WebhookDispatcher(parts, options.webhooks ?? WEBHOOK_PACE);
  const port = config.mail && createSmtp(config.mail.url, config.mail.from);
  const mails = new MailDispatcher({ ...parts, port }, options.mail ?? MAIL_PACE);
  const queuedRuns = new QueuedRuns(services);
  const retention = new RetentionSweeper({
    ...services,
    log,
    asOwner: database.asOwner,
    auditLogDays: config.auditLogDays,
    eventLogDays: config.eventLogDays,
  });
  const fileSweeper = new FileSweeper(services);
  const shutdown = new GracefulShutdown();
  const authorizationServer = createAuthorizationServer({
    publicUrl: config.publicUrl,
    secretKey: config.secretKey,
    cookieName: connectionCookie(config.publicUrl),
    outbound: { allowLoopback: config.allowLoopback, ...options.outbound },
    rules: authorizationRules(services),
    onError: (error) => log.error({ err: error }, 'the authorization server failed'),
  });
  const app = createApp({
    root,
    services,
    database,
    metrics,
    log,
    trustProxy: config.trustProxy,
    shutdown,
    authorizationServer,
    compiler: documents,
    metricsToken: config.metricsToken,
    requestSpans: telemetry?.requestSpans,
    documents: {
      introspection: config.introspection,
      federation: config.federation,
      trusted: loadTrustedDocuments(publicSchema, root, config.trustedDocuments),
      maxDepth: config.maxQueryDepth,
      maxCost: config.maxQueryCost,
      timeoutMs: config.requestTimeoutMs,
    },
  });
  services.process.runs.start();
  queuedRuns.start();
  services.stores.leases.start({
    failureMessage: 'waiting runs cannot be continued',
    async recover() {
      await expireCalls(services);
      await continueAffordable(services);
      await expireHandling(services);
      await answerAllOwed(services);
      await deleteExpiredPresence(services.stores.sql);
    },
  });
  services.process.liveTurns.start();
  services.stores.idempotency.start();
  webhooks.start();
  mails.start();
  retention.start();
  fileSweeper.start();
  return {
    app,
    services,
    firstStart: initialized,
    migrations,
    async close(server, graceMs, { delayMs, openConnectionsMs } = IMMEDIATE) {
      const closed = server && once(server, 'close');
      const deadline = performance.now() + delayMs + graceMs;
      const leftMs = () => Math.max(0, deadline - performance.now());
      await shutdown.stopListening(server, delayMs);
      draining.abort();
      await shutdown.stopAccepting(server, openConnectionsMs, leftMs());
      await queuedRuns.drain();
      await Promise.all([
        services.process.runs.drain(leftMs()),
        webhooks.drain(leftMs()),
        mails.drain(leftMs()),
        retention.drain(),
        fileSweeper.drain(),
      ]);
      // Each has a time limit of its own. A call that was stopped above can have left one.
      await Promise.race([Promise.all(services.process.unfinished), pause(leftMs(), undefined, { ref: false })]);
      await shutdown.closeRemaining(server, openConnectionsMs, Math.max(LAST_READS_MS, leftMs()));
      await closed;
      await Promise.all([
        services.stores.leases.stop(),
        services.stores.idempotency.close(),
        services.process.liveTurns.close(),
      ]);
      await shared.close();
      // A collector that does not respond must not delay the exit.
      await Promise.race([telemetry?.close(), pause(LAST_EXPORT_MS, undefined, { ref: false })]);
      await database.close();
    },
  };
}

/** Loads the packages of OpenTelemetry only if it is on, and before the first statement, so its connection is traced. */
async function loadTelemetry(settings: TelemetrySettings, { pool }: Database, root: string): Promise<Telemetry> {
  const { openTelemetry } = await import('./telemetry/open.ts');
  const telemetry = openTelemetry(settings, { pool, version: versionOf(root) });
  setTraceParentSource(() => telemetry.tracing.headers().traceparent ?? null);
  return telemetry;
}
