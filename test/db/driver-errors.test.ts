import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { isUnavailable } from '../../src/db/unavailable.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A PostgreSQL server that does only what `onStartup` does. */
async function fakeServer(onStartup: (socket: Socket) => void): Promise<pg.PoolConfig> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => onStartup(socket));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { host: '127.0.0.1', port, user: 'nobody', password: '', database: 'nothing' };
}

const READY = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

const silent = () => {};

/** Accepts the connection and closes it at the first query. */
const closing = (socket: Socket) => {
  socket.write(READY);
  socket.once('data', () => socket.destroy());
};

const accepting = (socket: Socket) => void socket.write(READY);

async function clientOf(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config).on('error', () => {});
  await client.connect();
  return client;
}

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('no error'),
    (error: Error) => error,
  );
}

describe('errors of pg and pg-pool without a code', () => {
  const CASES: readonly (readonly [string, () => Promise<Error>])[] = [
    [
      'Connection terminated unexpectedly',
      async () => {
        const client = await clientOf(await fakeServer(closing));
        return errorOf(client.query('SELECT 1'));
      },
    ],
    [
      'Client has encountered a connection error and is not queryable',
      async () => {
        const client = await clientOf(await fakeServer(closing));
        await errorOf(client.query('SELECT 1'));
        return errorOf(client.query('SELECT 1'));
      },
    ],
    [
      'Client was closed and is not queryable',
      async () => {
        const client = await clientOf(await fakeServer(accepting));
        void client.end().catch(() => {});
        return errorOf(client.query('SELECT 1'));
      },
    ],
    [
      'Connection terminated',
      async () => {
        const client = await clientOf(await fakeServer(closing));
        const query = errorOf(client.query('SELECT 1'));
        void client.end().catch(() => {});
        return query;
      },
    ],
    [
      'Connection terminated due to connection timeout',
      async () => {
        const pool = new pg.Pool({ ...(await fakeServer(silent)), connectionTimeoutMillis: 50 });
        return errorOf(pool.connect());
      },
    ],
    [
      'timeout exceeded when trying to connect',
      async () => {
        const pool = new pg.Pool({ ...(await fakeServer(accepting)), max: 1 });
        const client = await pool.connect();
        // Only now: the first connection can take longer on a busy machine.
        pool.options.connectionTimeoutMillis = 50;
        const error = await errorOf(pool.connect());
        client.release(true);
        return error;
      },
    ],
    [
      'Cannot use a pool after calling end on the pool',
      async () => {
        const pool = new pg.Pool();
        await pool.end();
        return errorOf(pool.connect());
      },
    ],
  ];

  it.each(CASES)('reports "%s", which counts as an unavailable database', async (message, cause) => {
    const error = await cause();
    expect(error).toMatchObject({ message });
    expect(error).not.toHaveProperty('code');
    expect(isUnavailable(error)).toBe(true);
  });
});
