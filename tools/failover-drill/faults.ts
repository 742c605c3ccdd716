import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { postmasterOf } from '../../test/support/scratch-server.ts';
import type { Cluster } from './cluster.ts';
import { TTL_SECONDS } from './settings.ts';

/** What happened to the leader. */
export interface Fault {
  /** When it began, by `performance.now()`. */
  readonly at: number;
  readonly text: string;
}

/** Ends the server of the leader at once. Its agent still runs. */
export async function crash(cluster: Cluster): Promise<Fault> {
  const leader = await cluster.leader();
  const at = performance.now();
  process.kill(await postmasterOf(leader.data), 'SIGKILL');
  const next = await cluster.nextLeader(leader);
  return { at, text: `kill -9 of the server of ${leader.name}, ${next.name} leads after ${secondsSince(at)}` };
}

/**
 * Stops the leader with its agent for longer than the TTL, and lets both continue. A write that the former leader received
 * meanwhile must not be acknowledged.
 */
export async function freeze(cluster: Cluster): Promise<Fault> {
  const leader = await cluster.leader();
  const witness = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${leader.port}/postgres` });
  witness.on('error', () => {});
  await witness.connect();
  await witness.query('CREATE TABLE IF NOT EXISTS drill_witness (id int)');
  const at = performance.now();
  const stopped = [...(await treeOf(leader.agent.pid)), ...(await treeOf(await postmasterOf(leader.data)))];
  for (const pid of stopped) signal(pid, 'SIGSTOP');
  let isAcknowledged = false;
  const write = witness.query('INSERT INTO drill_witness VALUES (1)').then(
    () => {
      isAcknowledged = true;
    },
    () => {},
  );
  const next = await cluster.nextLeader(leader);
  const text = `${leader.name} and its agent stalled, ${next.name} leads after ${secondsSince(at)}`;
  await pause(Math.max(0, at + TTL_SECONDS * 1_500 - performance.now()));
  for (const pid of stopped.reverse()) signal(pid, 'SIGCONT');
  await cluster.settle();
  await write;
  await witness.end().catch(() => {});
  if (isAcknowledged) throw new Error(`${leader.name} acknowledged a write after ${next.name} had replaced it`);
  if ((await cluster.leader()) === leader) throw new Error(`${leader.name} leads again`);
  return { at, text: `${text}. ${leader.name} acknowledged nothing when it continued, and is a standby` };
}

/** Makes the synchronous standby the leader, as before an upgrade of the leader's machine. */
export async function switchOver(cluster: Cluster): Promise<Fault> {
  const leader = await cluster.leader();
  const at = performance.now();
  const response = await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: leader.name }),
  });
  if (!response.ok) throw new Error(`the switchover failed: ${response.status} ${await response.text()}`);
  const next = await cluster.nextLeader(leader);
  return { at, text: `planned, from ${leader.name} to ${next.name} in ${secondsSince(at)}` };
}

export function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

/** A process and all processes that it started, itself first. */
async function treeOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '') : '';
    // The name of the program, in parentheses, can contain anything.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
