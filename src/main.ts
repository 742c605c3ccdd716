import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Config, ConfigError, readConfig } from './config.ts';
import { DataDirInUse } from './db/data-dir.ts';
import { isUnavailable } from './db/unavailable.ts';
import { DEMO_CHAT_ID } from './domain/first-start.ts';
import { announcement } from './ops/announce.ts';
import { createLog } from './ops/log.ts';
import { openService, type Service } from './service.ts';

/** How long running turns may still take once the process is told to stop. */
const DRAIN_MS = 25_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const service = await openService(config, join(import.meta.dirname, '..'), log);
  const server = createServer(service.app);
  await listen(server, config);
  announce(config, service, server);

  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'shutting down');
    await service.close(server, DRAIN_MS);
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

/** Faults that the person at the keyboard can mend are said without a stack. */
function reasonToStop(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof DataDirInUse) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The port is taken. Stop what listens there, or set PORT to another one.';
  // No such database, user or password.
  if (code === '3D000' || code?.startsWith('28')) return `DATABASE_URL is refused: ${(error as Error).message}.`;
  if (isUnavailable(error)) return `The database does not answer (${code}). Start it, or correct DATABASE_URL.`;
  return error;
}

main().catch((error: unknown) => {
  console.error(reasonToStop(error));
  process.exit(1);
});
