// Reports which service of the second run is unreachable.
import { Redis } from 'ioredis';
import pg from 'pg';

const [postgres, redis] = process.argv.slice(2);

async function connectPostgres() {
  const client = new pg.Client({ connectionString: postgres, connectionTimeoutMillis: 5_000 });
  await client.connect();
  const { rows } = await client.query('SHOW server_version');
  await client.end();
  return `PostgreSQL ${rows[0].server_version}`;
}

async function connectRedis() {
  const client = new Redis(redis, { lazyConnect: true, retryStrategy: null, connectTimeout: 5_000 });
  client.on('error', () => {});
  await client.connect();
  const [, version] = /redis_version:(\S+)/.exec(await client.info('server')) ?? [];
  client.disconnect();
  return `Redis ${version}`;
}

for (const [name, address, connect] of [
  ['PostgreSQL', postgres, connectPostgres],
  ['Redis', redis, connectRedis],
]) {
  try {
    console.log(await connect());
  } catch (error) {
    console.error(`${name} is unreachable at ${address} (${error.message}). Start it there or set its address.`);
    process.exit(1);
  }
}
