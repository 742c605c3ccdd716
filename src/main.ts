import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Config, readConfig } from './config.ts';
import { DEMO_CHAT_ID } from './domain/first-start.ts';
import { announcement } from './ops/announce.ts';
import { createLog } from './ops/log.ts';
import { openService, type Service } from './service.ts';
import { reasonToStop } from './stop-reason.ts';

/** How long running turns may still take once the process is told to stop. */
const DRAIN_MS = 25_000;

/**
 * How long connections that are open are still served then, where they are a proxy's: longer than the 2 s for which
 * deploy/nginx.conf keeps idle ones, so none is closed while a request is on its way.
 */
const KEPT_MS = 3_000;

/** Longer than the minute for which balancers keep idle connections: whoever sends over them closes them. */
const IDLE_MS = 65_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const service = await openService(config, join(import.meta.dirname, '..'), log);
  const server = createServer({ keepAliveTimeout: IDLE_MS }, service.app);
  await listen(server, config);
  // What was logged of the start comes before it.
  log.flush();
  announce(config, service, server);

  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'shutting down');
    const keptMs = config.trustProxy === false ? 0 : KEPT_MS;
    await service.close(server, DRAIN_MS, { delayMs: config.shutdownDelayMs, keptMs });
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

function announce(config: Config, { made }: Service, server: Server): void {
  const { port } = server.address() as AddressInfo;
  const { database } = config;
  const text = announcement(
    {
      // With PORT=0 the system chooses the port.
      url: config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl,
      database: database.kind === 'directory' ? `embedded, in ${database.path}` : database.kind,
      model: config.defaultModel,
      made,
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
