import type { Logger } from 'pino';
import { BoundedCache } from './cache/bounded-cache.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openPubSub } from './db/open-pub-sub.ts';
import { openRateLimiter } from './db/rate-limiter.ts';
import { Tails } from './db/tail.ts';
import { CallerWatches } from './domain/access/caller-watches.ts';
import { CredentialUse } from './domain/access/credential-use.ts';
import { Idempotency } from './domain/access/idempotency.ts';
import { MailOutbox } from './domain/access/mail/outbox.ts';
import { LiveTurns } from './domain/agent/live/live-turns.ts';
import { unownedTurnCounter } from './domain/agent/queue/unowned-turns.ts';
import { recoverDeadRuns } from './domain/agent/recovery/dead-runs.ts';
import { storeOrphanedMessages } from './domain/agent/recovery/orphaned-messages.ts';
import { RunRegistry } from './domain/agent/run/run-registry.ts';
import type { Services } from './domain/context.ts';
import { CallCounter } from './domain/documents/call-counter.ts';
import type { DocumentCompiler } from './domain/documents/compiler-port.ts';
import { waitingCounter } from './domain/handling/waiting-count.ts';
import { Leases } from './domain/leases/leases.ts';
import { leasePace } from './domain/leases/pace.ts';
import { SecretBox } from './domain/secret-box.ts';
import { authorizationFormat } from './identity/authorization-server/format.ts';
import { createChallenges } from './identity/challenges.ts';
import { createJwts } from './identity/jwt.ts';
import { createOidc } from './identity/oidc.ts';
import { createMcpAuthorization } from './model/mcp/authorization.ts';
import { createMcp } from './model/mcp/mcp.ts';
import { createModels } from './model/models.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import type { GuardSettings } from './outbound/guard.ts';
import { createGuardedFetcher } from './outbound/guarded-fetch.ts';
import { createWorkspaceAddresses } from './outbound/workspace-addresses.ts';
import { openStorage } from './storage/open-storage.ts';
import { commandScan } from './storage/scan.ts';
import type { Telemetry } from './telemetry/open.ts';

/** The services of the domain and of the HTTP stack. Background work starts only in `openService`. */
export interface SharedServices {
  readonly services: Services;
  readonly metrics: Metrics;
  readonly draining: AbortController;
  /** Sends pending data, and closes everything except the database. */
  close(): Promise<void>;
}

/** What the caller of {@link openServices} decides. */
interface ServiceParts {
  /** The operator's command line publishes no documents, so it does not load the schema. */
  readonly documents: DocumentCompiler;
  readonly outbound?: GuardSettings | undefined;
  readonly telemetry?: Telemetry | undefined;
}

export async function openServices(
  config: Config,
  database: Database,
  log: Logger,
  { documents, outbound, telemetry }: ServiceParts,
): Promise<SharedServices> {
  const { prisma, sql } = database;
  const pubSub = await openPubSub(config.database, config.redisUrl, (error) =>
    log.warn({ err: error }, 'live updates are interrupted'),
  );
  const rateLimiter = await openRateLimiter(database, config.redisUrl, (error) =>
    log.warn({ err: error }, 'rate limits are counted per process'),
  );
  const files = await openStorage(config.files);
  const secretBox = new SecretBox(config.secretKey, config.previousSecretKeys);
  const monotonicMs = () => performance.now();
  const credentialUse = new CredentialUse(prisma, log, monotonicMs);
  const documentCalls = new CallCounter(sql, log);
  const mail = new MailOutbox({ isOn: config.mail !== undefined, secretBox, pubSub, log });
  const leases = new Leases({ sql, log, monotonicMs }, leasePace(config.leaseSeconds));
  const recoveryParts = { stores: { prisma, pubSub, leases }, process: { log } };
  const runs = new RunRegistry(
    { pubSub, log, leases },
    {
      runs: (runs) => recoverDeadRuns(recoveryParts, runs),
      messages: (runs) => storeOrphanedMessages(recoveryParts, runs),
    },
  );
  const liveTurns = new LiveTurns({ sql, pubSub, log, monotonicMs });
  const unownedTurns = unownedTurnCounter({ sql, leases, monotonicMs });
  const metrics = createMetrics({
    pool: database.pool,
    activeRuns: () => runs.activeCount,
    space: () => files.storage.space(),
    unowned: unownedTurns,
    waiting: waitingCounter({ sql, monotonicMs }),
  });
  const draining = new AbortController();
  const openFeeds = new Set<() => void>();
  draining.signal.addEventListener('abort', () => {
    for (const end of [...openFeeds]) end();
  });
  const services: Services = {
    stores: {
      prisma,
      sql,
      leases,
      pubSub,
      tails: new Tails(),
      rateLimiter,
      idempotency: new Idempotency(prisma, log, secretBox, leases),
      credentialUse,
      documentCalls,
      mail,
      storage: files.storage,
    },
    ports: {
      model: createModels(config.providers, createGuardedFetcher(outbound)),
      mcp: createMcp(createGuardedFetcher({ allowLoopback: config.allowLoopback, ...outbound })),
      mcpAuthorization: createMcpAuthorization({ allowLoopback: config.allowLoopback, ...outbound }),
      addresses: createWorkspaceAddresses({ allowLoopback: config.allowLoopback, ...outbound }),
      documents,
      oidc: createOidc({ allowLoopback: config.allowLoopback, ...outbound }, monotonicMs),
      authorization: authorizationFormat,
      jwts: createJwts({ allowLoopback: config.allowLoopback, ...outbound }, monotonicMs),
      challenges: config.challenges && createChallenges(config.challenges, config.allowLoopback, outbound),
      scanFile: config.scanCommand && commandScan(config.scanCommand),
    },
    settings: {
      defaultModel: config.defaultModel,
      currency: config.currency,
      publicUrl: config.publicUrl,
      chatUrl: config.chatUrl,
      appRegistration: config.appRegistration,
      secretKey: config.secretKey,
      secretBox,
    },
    process: {
      runs,
      liveTurns,
      unownedTurns,
      log,
      observer: metrics.observer,
      tracing: telemetry?.tracing,
      monotonicMs,
      callerWatches: new CallerWatches({ prisma, pubSub, log }),
      usedUpBudgets: new BoundedCache<true>('usedUpBudgets'),
      draining: draining.signal,
      openFeeds,
      unfinished: new Set(),
    },
  };
  return {
    services,
    metrics,
    draining,
    async close() {
      await Promise.all([credentialUse.close(), documentCalls.close()]);
      await pubSub.close();
      await files.close();
      rateLimiter.close();
    },
  };
}
