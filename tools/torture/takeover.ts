import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { publishScripted } from '../../test/support/actions.ts';
import { emptyPostgresStore, startOn } from '../../test/support/data-stores.ts';
import { deadTurnText, insertDeadTurns } from '../../test/support/dead-turns.ts';
import { type FakeProvider, startFakeProvider } from '../../test/support/fake-provider.ts';
import { until } from '../../test/support/until.ts';
import { workflowsOf } from '../../test/support/workflows.ts';
import { recordChanges } from './changes.ts';
import { summaryOf } from './checks/takeovers.ts';
import { OWN_NAME } from './disruptions.ts';
import { Journal } from './journal.ts';

/** The default lease. */
const LEASE_SECONDS = 4;

/** How long the model takes for a reply, so that many turns run at the same time. */
const REPLY_MS = 3_000;

const REPLY = 'Continued';

/** How long the survivor may take for all turns. */
const MOST_MS = 300_000;

/** The result of a takeover drill. */
export interface Takeover {
  readonly count: number;
  readonly journal: Journal;
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Stores running turns of a process that dies at that moment, right after it renewed its leases. One other process
 * watches. Each turn must continue in it and end, and its model must be asked once more.
 */
export async function takeover(count: number): Promise<Takeover> {
  const journal = new Journal();
  const [store, provider] = await Promise.all([emptyPostgresStore(), startFakeProvider()]);
  const database = new pg.Pool({ connectionString: store.url, max: 2, application_name: OWN_NAME });
  const survivor = await startOn(store, {
    LOG_LEVEL: 'error',
    LEASE_SECONDS: String(LEASE_SECONDS),
    DATABASE_POOL_SIZE: '',
    DEFAULT_MODEL: 'openai-compatible:any',
    OPENAI_BASE_URL: provider.url,
  });
  try {
    const agent = await publishScripted(survivor, workflowsOf(survivor), { recovery: 'CONTINUE' });
    provider.reply({ kind: 'answer', deltas: [REPLY] });
    const { body } = await agent.turn('The turn that the others copy');
    const pieces = {
      async *[Symbol.asyncIterator]() {
        await pause(REPLY_MS);
        yield { deltas: [REPLY] };
      },
    };
    provider.reply({ kind: 'dictated', pieces });
    await recordChanges(database);
    const send = (text: string, values: readonly unknown[]) => database.query(text, [...values]);
    await insertDeadTurns(send, { conversationId: body.conversation_id, count, leaseSeconds: LEASE_SECONDS });
    const running = async () => {
      const { rows } = await database.query("SELECT 1 FROM run WHERE status = 'running' LIMIT 1");
      return rows.length === 0;
    };
    await until(running, { withinMs: MOST_MS, everyMs: 250 }).catch(() => {});
    await checkTurns(database, journal, count);
    checkRequests(provider, journal, count);
    const version = await database.query<{ server_version: string }>('SHOW server_version');
    const versions = { Node: process.version, PostgreSQL: String(version.rows[0]?.server_version) };
    return { count, journal, versions };
  } finally {
    await survivor.kill('SIGKILL');
    await Promise.all([provider.close(), database.end()]);
    if (journal.failed === 0) await store.remove();
  }
}

interface TurnRow {
  readonly name: string;
  readonly status: string;
  readonly attempts_left: number;
  readonly replies: readonly string[] | null;
  /** From the death of the process to the first new owner. Null without one. */
  readonly took_ms: number | null;
  readonly ended_ms: number | null;
  readonly owners: number;
}

async function checkTurns(database: pg.Pool, journal: Journal, count: number): Promise<void> {
  const { rows } = await database.query<TurnRow>(`
    SELECT c.name, r.status, r.attempts_left, change.took_ms, change.ended_ms, change.owners,
           (SELECT array_agg(i.content -> 0 ->> 'text') FROM timeline_item i
            WHERE i.run_id = r.id AND i.role = 'assistant') AS replies
    FROM run r JOIN conversation c ON c.id = r.conversation_id, LATERAL (
      SELECT min(at_ms) FILTER (WHERE fence > 1 AND owner IS NOT NULL) - min(at_ms) AS took_ms,
             max(at_ms) FILTER (WHERE o.status <> 'running') - min(at_ms) AS ended_ms,
             count(DISTINCT owner) FILTER (WHERE fence > 1)::int AS owners
      FROM torture.owner_change o WHERE o.run_id = r.id) AS change
    WHERE r.request_id = 'dead'`);
  journal.check('every turn of the dead process is stored', rows.length === count, () => `${rows.length} turns`);
  for (const row of rows) {
    const detail = () => JSON.stringify(row);
    journal.check('a turn gets a new owner', row.took_ms !== null, detail);
    journal.check(
      'a turn has one new owner, which never loses it',
      row.owners === 1 && row.attempts_left === 1,
      detail,
    );
    journal.check('a turn completes', row.status === 'completed', detail);
    const { replies } = row;
    journal.check('a turn has one reply', replies?.length === 1 && replies[0] === REPLY, detail);
  }
  const times = (read: (row: TurnRow) => number | null) => rows.flatMap((row) => read(row) ?? []);
  journal.measured.set('death to the new owner', summaryOf(times(({ took_ms }) => took_ms)));
  journal.measured.set('death to the end of the turn', summaryOf(times(({ ended_ms }) => ended_ms)));
}

/** The dead process asked the model once, and the survivor asks it again for the step that was cut off. */
function checkRequests({ requests }: FakeProvider, journal: Journal, count: number): void {
  const asked = new Map<string, number>();
  for (const { body } of requests) {
    const [tag = ''] = /#\d+#/.exec(JSON.stringify(body.messages)) ?? [];
    asked.set(tag, (asked.get(tag) ?? 0) + 1);
  }
  for (let number = 1; number <= count; number += 1) {
    const [tag = ''] = /#\d+#/.exec(deadTurnText(number)) ?? [];
    const times = asked.get(tag) ?? 0;
    journal.check('the survivor asks the model once for a turn', times === 1, () => `${tag} was asked ${times} times`);
  }
}

/** The results, in Markdown. */
export function takeoverReport({ count, journal, versions }: Takeover, tables: readonly string[]): string {
  return [
    '# Takeover of many turns',
    '',
    `Written by \`npm run torture -- --takeover ${count}\`.`,
    '',
    `- ${count} running turns of a process that dies right after it renewed its leases of ${LEASE_SECONDS} s. One other process takes all of them over. The model takes ${REPLY_MS / 1_000} s for each reply`,
    `- ${availableParallelism()} cores, ${Object.entries(versions)
      .map((version) => version.join(' '))
      .join(', ')}`,
    `- **${journal.failed === 0 ? 'No violation' : `${journal.failed} violations`}**`,
    '',
    ...tables,
  ].join('\n');
}
