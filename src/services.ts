import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openLive } from './db/live.ts';
import { openRateLimiter } from './db/rate-limiter.ts';
import { Tails } from './db/tail.ts';
import { CallerWatches } from './domain/access/caller-watches.ts';
import { CredentialUse } from './domain/access/credential-use.ts';
import { Idempotency } from './domain/access/idempotency.ts';
import { RunRegistry } from './domain/agent/run-registry.ts';
import type { Services } from './domain/context.ts';
import { SecretBox } from './domain/secret-box.ts';
import { createMcp } from './model/mcp.ts';
import { createModels } from './model/models.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import type { GuardSettings } from './outbound/guard.ts';
import { createGuardedFetcher } from './outbound/guarded-fetch.ts';
import { createWorkspaceAddresses } from './outbound/workspace-addresses.ts';

/** What domain functions are given, put together; none of it works by itself until it is started. */
export interface SharedServices {
  readonly services: Services;
  readonly metrics: Metrics;
  readonly draining: AbortController;
  /** Sends what is to be sent, and lets go of everything but the database. */
  close(): Promise<void>;
}

export async function openServices(
  config: Config,
  database: Database,
  log: Logger,
  outbound?: GuardSettings,
): Promise<SharedServices> {
  const { prisma, sql } = database;
  const live = await openLive(config.database, config.redisUrl, (error) =>
    log.warn({ err: error }, 'live updates are interrupted'),
  );
  const rateLimiter = await openRateLimiter(database, config.redisUrl, (error) =>
    log.warn({ err: error }, 'rate limits are counted by each process for itself'),
  );
  const secretBox = new SecretBox(config.secretKey, config.secretKeysBefore);
  const credentialUse = new CredentialUse(prisma, log);
  const runs = new RunRegistry({ prisma, live, log });
  const metrics = createMetrics(database.pool, () => runs.activeCount);
  const draining = new AbortController();
  const openFeeds = new Set<() => void>();
  draining.signal.addEventListener('abort', () => {
    for (const end of [...openFeeds]) end();
  });
  const services: Services = {
    prisma,
    sql,
    model: createModels(config.providers, createGuardedFetcher(outbound)),
    defaultModel: config.defaultModel,
    mcp: createMcp(createGuardedFetcher({ allowLoopback: config.allowLoopback, ...outbound })),
    runs,
    addresses: createWorkspaceAddresses({ allowLoopback: config.allowLoopback, ...outbound }),
    live,
    tails: new Tails(),
    rateLimiter,
    idempotency: new Idempotency(prisma, log, secretBox),
    credentialUse,
    publicUrl: config.publicUrl,
    chatUrl: config.chatUrl,
    secretKey: config.secretKey,
    secretBox,
    log,
    observer: metrics.observer,
    callerWatches: new CallerWatches({ prisma, live, log }),
    draining: draining.signal,
    openFeeds,
  };
  return {
    services,
    metrics,
    draining,
    async close() {
      await credentialUse.close();
      await live.close();
      rateLimiter.close();
    },
  };
}
