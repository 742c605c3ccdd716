import type { Server } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openDatabase } from './db/database.ts';
import { openLive } from './db/live.ts';
import { migrate } from './db/migrate.ts';
import { openRateLimiter } from './db/rate-limiter.ts';
import { CredentialUse } from './domain/access/credential-use.ts';
import { Idempotency } from './domain/access/idempotency.ts';
import { NO_ACTIONS } from './domain/agent/action-port.ts';
import { abandonLeases } from './domain/agent/recovery.ts';
import { RunRegistry } from './domain/agent/run-registry.ts';
import type { Services } from './domain/context.ts';
import { type FirstStart, firstStart, knowsKey } from './domain/first-start.ts';
import { SecretBox } from './domain/secret-box.ts';
import { abandonClaims } from './domain/webhooks/claim.ts';
import { WebhookDispatcher } from './domain/webhooks/dispatcher.ts';
import { WEBHOOK_PACE, type WebhookPace } from './domain/webhooks/pace.ts';
import { createModels } from './model/models.ts';
import { createMetrics } from './ops/metrics.ts';
import type { GuardSettings } from './outbound/guard.ts';
import { createGuardedFetcher } from './outbound/guarded-fetch.ts';
import { createWorkspaceAddresses } from './outbound/workspace-addresses.ts';

/** A running service but for its listening socket. */
export interface Service {
  readonly app: Express;
  readonly services: Services;
  /** What a first start made; undefined on any other. */
  readonly made: FirstStart | undefined;
  /**
   * Ends it without losing a turn: takes nothing more, waits up to `graceMs` for what runs, closes. `server` is the
   * socket that it listens on.
   */
  close(server: Server | undefined, graceMs: number): Promise<void>;
}

/** Parts that tests look into or open up. */
export interface ServiceOptions {
  readonly onStatement?: (sql: string) => void;
  /** Which addresses written by users the service goes to; public ones alone by default. */
  readonly outbound?: GuardSettings;
  /** When webhooks are attempted; as WIRE 12 says by default. */
  readonly webhooks?: WebhookPace;
}

/** Opens the database, brings it up to date, and puts the service together. `root` holds `schema/` and `prisma/`. */
export async function openService(
  config: Config,
  root: string,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Service> {
  const database = await openDatabase(config.database, options.onStatement);
  const applied = await migrate(database, root);
  if (applied.length > 0) log.info({ migrations: applied }, 'applied migrations');
  const made = await firstStart(database.prisma, config.bootstrap);
  const { apiKey } = config.bootstrap;
  if (!made && apiKey && !(await knowsKey(database.prisma, apiKey.secret))) {
    log.warn({}, 'BOOTSTRAP_API_KEY is no key of this database: it is taken on an empty one alone');
  }

  const live = await openLive(config.database, config.redisUrl, (error) =>
    log.warn({ err: error }, 'live updates are interrupted'),
  );
  const rateLimiter = await openRateLimiter(database, config.redisUrl, (error) =>
    log.warn({ err: error }, 'rate limits are counted by each process for itself'),
  );
  const secretBox = new SecretBox(config.secretKey, config.secretKeysBefore);
  const credentialUse = new CredentialUse(database.prisma, log);
  const idempotency = new Idempotency(database.prisma, log, secretBox);
  if (database.embedded) await Promise.all([abandonLeases(database.prisma), abandonClaims(database.prisma)]);
  const runs = new RunRegistry({ prisma: database.prisma, live, log });
  const metrics = createMetrics(database.pool, () => runs.activeCount);
  const draining = new AbortController();
  const services: Services = {
    prisma: database.prisma,
    model: createModels(config.providers, createGuardedFetcher(options.outbound)),
    defaultModel: config.defaultModel,
    actions: NO_ACTIONS,
    runs,
    addresses: createWorkspaceAddresses({ allowLoopback: config.allowLoopback, ...options.outbound }),
    live,
    rateLimiter,
    idempotency,
    credentialUse,
    chatUrl: config.chatUrl,
    secretKey: config.secretKey,
    secretBox,
    log,
    observer: metrics.observer,
    draining: draining.signal,
  };
  const now = () => new Date();
  const webhooks = new WebhookDispatcher({ ...services, now }, options.webhooks ?? WEBHOOK_PACE);
  const app = createApp({
    root,
    services,
    database,
    metrics,
    log,
    trustProxy: config.trustProxy,
    isDraining: () => draining.signal.aborted,
  });
  runs.start();
  idempotency.start();
  webhooks.start();
  return {
    app,
    services,
    made,
    async close(server, graceMs) {
      draining.abort();
      const stopped = server && new Promise<void>((resolve) => server.close(() => resolve()));
      server?.closeIdleConnections();
      await Promise.all([runs.drain(graceMs), webhooks.drain(graceMs)]);
      // What is left are connections that no turn is behind.
      setTimeout(() => server?.closeAllConnections(), 1_000).unref();
      await stopped;
      idempotency.close();
      await credentialUse.close();
      await live.close();
      rateLimiter.close();
      await database.close();
    },
  };
}
