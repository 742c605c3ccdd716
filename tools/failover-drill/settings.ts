import { SERVER_PROGRAMS } from '../../test/support/scratch-server.ts';

/** Seconds without a sign of life until another node becomes the leader. Patroni's default is 30. */
export const TTL_SECONDS = 10;

interface NodeSettings {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly etcdPort: number;
  readonly data: string;
}

const USER = { username: 'postgres' };

/** The configuration of a Patroni agent. `docs/operations.md` explains the settings that matter. */
export function nodeConfiguration({ name, port, restPort, etcdPort, data }: NodeSettings): object {
  const address = `127.0.0.1:${port}`;
  return {
    scope: 'parley',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // Patroni 3.0 keeps a copy of etcd's newer API, which is stale after the agent stalled.
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: 2,
        retry_timeout: 4,
        // A leader whose server died gives up its role at once.
        primary_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: ['data-checksums', 'no-sync', { encoding: 'UTF8' }, { auth: 'trust' }],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      bin_dir: SERVER_PROGRAMS,
      data_dir: data,
      pgpass: `${data}.pgpass`,
      authentication: { superuser: USER, replication: USER, rewind: USER },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      parameters: { unix_socket_directories: '', shared_buffers: '32MB', fsync: 'off' },
      remove_data_directory_on_rewind_failure: true,
    },
    watchdog: { mode: 'off' },
  };
}

/** The configuration of HAProxy: it asks each agent whether its node is the leader, and ends the connections to others. */
export function haproxyConfiguration(
  port: number,
  nodes: readonly Pick<NodeSettings, 'name' | 'port' | 'restPort'>[],
): string {
  const servers = nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`);
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen postgresql
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
