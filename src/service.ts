import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { abandonLeases } from './domain/agent/recovery.ts';
import type { Services } from './domain/context.ts';
import { type FirstStart, firstStart, knowsKey } from './domain/first-start.ts';
import { RetentionSweeper } from './domain/retention/sweeper.ts';
import { abandonClaims } from './domain/webhooks/claim.ts';
import { WebhookDispatcher } from './domain/webhooks/dispatcher.ts';
import { WEBHOOK_PACE, type WebhookPace } from './domain/webhooks/pace.ts';
import { schema } from './graphql/schema.ts';
import { loadTrustedDocuments } from './graphql/trusted-documents.ts';
import { Departure, type DeparturePace } from './ops/departure.ts';
import type { GuardSettings } from './outbound/guard.ts';
import { openServices } from './services.ts';

/** A running service but for its listening socket. */
export interface Service {
  readonly app: Express;
  readonly services: Services;
  /** What a first start made; undefined on any other. */
  readonly made: FirstStart | undefined;
  /**
   * Ends it without losing a turn: takes nothing more, as `pace` says, waits up to `graceMs` for what runs, closes.
   * `server` is the socket that it listens on.
   */
  close(server: Server | undefined, graceMs: number, pace?: DeparturePace): Promise<void>;
}

/** Parts that tests look into or open up. */
export interface ServiceOptions {
  readonly onStatement?: (sql: string) => void;
  /** Which addresses written by users the service goes to; public ones alone by default. */
  readonly outbound?: GuardSettings;
  /** When webhooks are attempted; as WIRE 12 says by default. */
  readonly webhooks?: WebhookPace;
}

const AT_ONCE: DeparturePace = { delayMs: 0, keptMs: 0 };

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

  const shared = await openServices(config, database, log, options.outbound);
  const { services, metrics, draining } = shared;
  if (database.embedded) await Promise.all([abandonLeases(database.prisma), abandonClaims(database.prisma)]);
  const now = () => new Date();
  const webhooks = new WebhookDispatcher({ ...services, now }, options.webhooks ?? WEBHOOK_PACE);
  const retention = new RetentionSweeper(services);
  const departure = new Departure();
  const app = createApp({
    root,
    services,
    database,
    metrics,
    log,
    trustProxy: config.trustProxy,
    departure,
    documents: {
      introspection: config.introspection,
      trusted: loadTrustedDocuments(schema, root, config.trustedDocuments),
      maxDepth: config.maxQueryDepth,
      maxCost: config.maxQueryCost,
      timeoutMs: config.requestTimeoutMs,
    },
  });
  services.runs.start();
  services.idempotency.start();
  webhooks.start();
  retention.start();
  return {
    app,
    services,
    made,
    async close(server, graceMs, { delayMs, keptMs } = AT_ONCE) {
      const closed = server && once(server, 'close');
      await departure.announce(server, delayMs);
      const deadline = Date.now() + graceMs;
      draining.abort();
      await departure.leave(server, keptMs);
      const leftMs = Math.max(0, deadline - Date.now());
      await Promise.all([services.runs.drain(leftMs), webhooks.drain(leftMs), retention.drain()]);
      // What is left are connections that no turn is behind.
      setTimeout(() => server?.closeAllConnections(), 1_000).unref();
      await closed;
      services.idempotency.close();
      await shared.close();
      await database.close();
    },
  };
}
