import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Config, readConfig } from './config.ts';
import { hostedDeployment } from './domain/access/visitors.ts';
import { DEMO_CHAT_ID } from './domain/first-start.ts';
import { createHttpServer } from './http/server.ts';
import { announcement } from './ops/announce.ts';
import { createLog } from './ops/log.ts';
import { turnsMs } from './ops/shutdown-times.ts';
import { openService, type Service } from './service.ts';
import { reasonToStop } from './stop-reason.ts';

/**
 * How long a stopping process still serves the open connections of a proxy. This is longer than the 2 s for which
 * deploy/nginx.conf keeps idle connections, so the proxy always closes them first.
 */
const OPEN_CONNECTIONS_MS = 3_000;

/** Longer than the 60 s for which load balancers keep idle connections, so the sender closes them first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const service = await openService(config, join(import.meta.dirname, '..'), log);
  const server = createHttpServer(service.app, { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS });
  await listen(server, config);
  // Prints the log lines of the start first.
  log.flush();
  await announce(config, service, server);

  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'shutting down');
    const { shutdownDelayMs: delayMs, shutdownMs } = config;
    // Nothing that is acknowledged needs a complete shutdown. A supervisor would kill the process a little later.
    setTimeout(() => {
      log.error({}, 'the shutdown took too long: the process exits without it');
      log.flush();
      process.exit(1);
    }, delayMs + shutdownMs).unref();
    const openConnectionsMs = config.trustProxy === false ? 0 : OPEN_CONNECTIONS_MS;
    await service.close(server, turnsMs(shutdownMs), { delayMs, openConnectionsMs });
    log.info({}, 'closed');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop(signal));
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

async function announce(config: Config, { firstStart, migrations, services }: Service, server: Server): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const { database } = config;
  // With PORT=0 the operating system chooses the port.
  const withPort = (url: string) => (config.port === 0 ? url.replace(/:0$/, `:${port}`) : url);
  const isDemoOpen = (await hostedDeployment(services.stores.sql, DEMO_CHAT_ID)) !== undefined;
  const text = announcement(
    {
      url: withPort(config.publicUrl),
      demoPage: isDemoOpen ? `${withPort(config.chatUrl)}/chat/${DEMO_CHAT_ID}` : undefined,
      hasMetricsToken: config.metricsToken !== undefined,
      database: database.kind === 'directory' ? `embedded, in ${database.path}` : database.kind,
      model: config.defaultModel,
      migrations,
      firstStart,
      demoChatId: DEMO_CHAT_ID,
    },
    process.stdout.isTTY === true && !process.env.NO_COLOR,
  );
  process.stdout.write(text);
}

main().catch((error: unknown) => {
  console.error(reasonToStop(error));
  process.exit(1);
});
