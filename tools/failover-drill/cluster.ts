import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { freePorts } from '../../test/support/free-ports.ts';
import { SERVER_PROGRAMS, unprivilegedAccount } from '../../test/support/scratch-server.ts';
import { until } from '../../test/support/until.ts';
import { type Program, startProgram } from './programs.ts';
import { haproxyConfiguration, nodeConfiguration } from './settings.ts';

const run = promisify(execFile);

const NAMES = ['node1', 'node2', 'node3'];

/** A PostgreSQL server, and the Patroni agent that runs it. */
export interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly data: string;
  readonly agent: Program;
}

/** A member of the cluster, as Patroni's REST API describes it. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Three PostgreSQL servers with Patroni, and HAProxy in front of them. */
export interface Cluster {
  /** Leads to the leader. */
  readonly url: string;
  readonly nodes: readonly Node[];
  leader(): Promise<Node>;
  /** Resolves with the leader once it is another node than this one. */
  nextLeader(former: Node): Promise<Node>;
  /** Resolves once every node runs, and the leader has a synchronous standby. */
  settle(): Promise<void>;
  /** The last output of every program, for the message of a failure. */
  output(): string;
  close(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-failover-'));
  const account = await unprivilegedAccount();
  if (account) await chown(folder, account.uid, account.gid);
  const [etcdPort = 0, peerPort = 0, port = 0, ...nodePorts] = await freePorts(3 + 2 * NAMES.length);
  const programs: Record<string, Program> = {};
  const nodes: Node[] = [];
  const close = async () => {
    // Patroni stops its server. A server whose agent did not stop it is stopped here.
    await Promise.all(nodes.map(({ agent }) => agent.stop()));
    const pgCtl = join(String(SERVER_PROGRAMS), 'pg_ctl');
    for (const { data } of nodes)
      await run(pgCtl, ['--pgdata', data, '--mode', 'immediate', 'stop'], { cwd: folder, ...account }).catch(() => {});
    await Promise.all(Object.values(programs).map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    programs.etcd = startEtcd(folder, etcdPort, peerPort);
    await until(async () => isOk(`http://127.0.0.1:${etcdPort}/health`), { withinMs: 20_000 });
    for (const [index, name] of NAMES.entries()) {
      const [own = 0, restPort = 0] = nodePorts.slice(2 * index);
      const home = join(folder, name);
      await mkdir(home);
      if (account) await chown(home, account.uid, account.gid);
      const data = join(home, 'data');
      const file = join(home, 'patroni.yml');
      await writeFile(file, stringify(nodeConfiguration({ name, port: own, restPort, etcdPort, data })));
      const agent = startProgram('patroni', [file], home, account);
      nodes.push({ name, port: own, restPort, data, agent });
      programs[name] = agent;
    }
    await writeFile(join(folder, 'haproxy.cfg'), haproxyConfiguration(port, nodes));
    programs.haproxy = startProgram('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], folder);
    const cluster = clusterOf(`postgres://postgres@127.0.0.1:${port}/postgres`, nodes, programs, close);
    await cluster.settle();
    return cluster;
  } catch (error) {
    const output = outputOf(programs);
    await close();
    throw new Error(`${(error as Error).message}\n${output}`);
  }
}

function startEtcd(folder: string, port: number, peerPort: number): Program {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const args = [
    ...['--name', 'etcd', '--data-dir', join(folder, 'etcd'), '--enable-v2', '--logger', 'zap', '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `etcd=${peer}`],
  ];
  return startProgram('etcd', args, folder);
}

function clusterOf(
  url: string,
  nodes: readonly Node[],
  programs: Readonly<Record<string, Program>>,
  close: () => Promise<void>,
): Cluster {
  const withinMs = 60_000;
  const members = async (): Promise<readonly Member[]> => {
    // Any agent knows all members. One that stalls does not respond.
    for (const { restPort } of nodes) {
      const response = await get(`http://127.0.0.1:${restPort}/cluster`);
      if (response) return ((await response.json()) as { members: Member[] }).members;
    }
    return [];
  };
  const currentLeader = async () => {
    const leader = (await members()).find(({ role, state }) => role === 'leader' && state === 'running');
    return nodes.find(({ name }) => name === leader?.name);
  };
  return {
    url,
    nodes,
    leader: () => until(currentLeader, { withinMs, everyMs: 100 }),
    nextLeader: (former) =>
      until(
        async () => {
          const leader = await currentLeader();
          return leader !== former && leader;
        },
        { withinMs, everyMs: 100 },
      ),
    async settle() {
      await until(
        async () => {
          const ended = Object.entries(programs).find(([, program]) => program.isOver);
          if (ended) throw new Error(`${ended[0]} has ended.`);
          const all = await members();
          const roles = all.map(({ role }) => role);
          const states = all.filter(({ state }) => state === 'running' || state === 'streaming');
          return states.length === nodes.length && roles.includes('leader') && roles.includes('sync_standby');
        },
        { withinMs: 90_000, everyMs: 200 },
      );
      await until(async () => isOk(`http://127.0.0.1:${(await currentLeader())?.restPort}/primary`), { withinMs });
    },
    output: () => outputOf(programs),
    close,
  };
}

async function get(url: string): Promise<Response | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return response?.ok ? response : undefined;
}

async function isOk(url: string): Promise<boolean> {
  return (await get(url)) !== undefined;
}

function outputOf(programs: Readonly<Record<string, Program>>): string {
  return Object.entries(programs)
    .map(([name, { output }]) => `${name}:\n${output.join('\n')}`)
    .join('\n');
}
