// Says in a sentence which of the services that the second run needs does not answer.
import { Redis } from 'ioredis';
import pg from 'pg';

const [postgres, redis] = process.argv.slice(2);

async function askPostgres() {
  const client = new pg.Client({ connectionString: postgres, connectionTimeoutMillis: 5_000 });
  await client.connect();
  const { rows } = await client.query('SHOW server_version');
  await client.end();
  return `PostgreSQL ${rows[0].server_version}`;
}

async function askRedis() {
  const client = new Redis(redis, { lazyConnect: true, retryStrategy: null, connectTimeout: 5_000 });
  client.on('error', () => {});
  await client.connect();
  const [, version] = /redis_version:(\S+)/.exec(await client.info('server')) ?? [];
  client.disconnect();
  return `Redis ${version}`;
}

for (const [name, address, ask] of [
  ['PostgreSQL', postgres, askPostgres],
  ['Redis', redis, askRedis],
]) {
  try {
    console.log(await ask());
  } catch (error) {
    console.error(`${name} does not answer at ${address} (${error.message}). Start it there, or set its address.`);
    process.exit(1);
  }
}
