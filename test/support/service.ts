import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { Config } from '../../src/config.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { createLog } from '../../src/ops/log.ts';
import { openService, type Service, type ServiceOptions } from '../../src/service.ts';
import { type Client, clientOf } from './client.ts';
import { createDatabase, ROOT, type TestDatabase } from './database.ts';

export { DEMO_AGENT_ID, DEMO_CHAT_ID };

/** A service with its own database over real HTTP, for one test file. */
export interface TestService extends Client {
  readonly service: Service;
  readonly keys: { readonly live: string; readonly test: string };
  /** The owner of the first workspace. */
  readonly owner: { readonly email: string; readonly password: string };
  /** SQL statements since the last call, without background statements: leases, sweeps, records of use. */
  takeStatements(): string[];
  /** SQL statements since the last call, with background statements. */
  takeAllStatements(): string[];
  /** Log lines so far. */
  readonly logLines: string[];
  close(): Promise<void>;
}

/** Statements that no request causes. */
const BACKGROUND =
  /SET lease_expires_at = now\(\)|INSERT INTO document_calls|lease_expires_at < now\(\)|last_used_at|FROM webhook_endpoint WHERE enabled|lease_expires_at IS NULL GROUP BY environment_id|AND i\.expires_at <= now\(\)|FROM outgoing_mail|i\.arguments ->> 'needed'|FROM budget_reservation WHERE expires_at|b\.place LIKE 'run:%'|c\.handling_until <= now\(\)|c\.handling_until > now\(\) AND NOT EXISTS|c\.owes_answer AND NOT EXISTS|handling <> 'assistant' AND handling = 'waiting'|FROM conversation_presence p\s+WHERE p\.seen_until <= now\(\)/;

interface TestOptions extends Pick<ServiceOptions, 'outbound' | 'webhooks' | 'mail'> {
  readonly root?: string;
  /** The database. Default: a new one. */
  readonly home?: TestDatabase;
}

export async function startService(
  overrides: Partial<Config> = {},
  { root = ROOT, home, ...options }: TestOptions = {},
): Promise<TestService> {
  const database = home ?? (await createDatabase());
  const statements: string[] = [];
  const logLines: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      logLines.push(line.toString());
      done();
    },
  });
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://127.0.0.1',
    files: { kind: 'memory' },
    scanCommand: undefined,
    chatUrl: 'https://chat.example.com',
    trustProxy: false,
    database: database.location,
    redisUrl: process.env.TEST_REDIS_URL,
    secretKey: 'a secret that only tests know, and long enough',
    previousSecretKeys: [],
    allowLoopback: true,
    defaultModel: 'demo',
    currency: 'USD',
    providers: { openai: {}, anthropic: {} },
    mail: undefined,
    challenges: undefined,
    introspection: true,
    appRegistration: false,
    trustedDocuments: 'off',
    maxQueryDepth: 20,
    federation: false,
    maxQueryCost: 20_000,
    requestTimeoutMs: 30_000,
    shutdownDelayMs: 0,
    shutdownMs: 10_000,
    leaseSeconds: 4,
    auditLogDays: undefined,
    eventLogDays: undefined,
    metricsToken: undefined,
    telemetry: undefined,
    logLevel: 'info',
    bootstrap: { apiKey: undefined, email: 'owner@example.com', password: undefined },
    ...overrides,
  };
  const service = await openService(config, root, createLog('info', sink), {
    onStatement: (sql) => statements.push(sql),
    ...options,
  });
  const server = createHttpServer(service.app, { keepAliveTimeout: 65_000 });
  const port = await listen(server, config.port);
  return {
    ...clientOf(`http://127.0.0.1:${port}`, database.access.keys.live),
    service,
    keys: database.access.keys,
    owner: { email: database.access.email, password: database.access.password },
    logLines: logLines,
    takeStatements: () => statements.splice(0).filter((sql) => !BACKGROUND.test(sql)),
    takeAllStatements: () => statements.splice(0),
    async close() {
      await service.close(server, 2_000);
      freePorts.push(port);
      await database.drop();
    },
  };
}

/** Ports of the worker's closed services. */
const freePorts: number[] = [];

/**
 * Listens on the port, or on any if it is 0. In browser tests that is the port of a closed service: pages of one origin
 * share a process, its compiled code and its cached files.
 */
async function listen(server: Server, port: number): Promise<number> {
  const wanted = port || (process.env.TEST_REUSE_PORTS && freePorts.pop()) || 0;
  try {
    await once(server.listen(wanted, '127.0.0.1'), 'listening');
  } catch (error) {
    // Another program took the port in the meantime.
    if (port || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listen(server, 0);
  }
  return (server.address() as AddressInfo).port;
}
