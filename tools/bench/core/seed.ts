import { fieldLabel } from '../../../src/domain/resources/fields.ts';
import type { BenchDatabase } from './database.ts';
import { AGENT, CHAT } from './processes.ts';

/** The live environment, which owns the known key. */
export async function liveEnvironment(database: BenchDatabase): Promise<string> {
  const { rows } = await database.query(`SELECT id FROM environment WHERE kind = 'live'`);
  return String(rows[0]?.id);
}

/** Inserts resources, one per second of time. 10 % have the type `tenth`. */
export async function seedResources(database: BenchDatabase, count: number): Promise<void> {
  const [even, odd] = [fieldLabel('even', true), fieldLabel('even', false)];
  const labels = Array.from({ length: count }, (_, index) => fieldLabel('n', index + 1));
  await database.query(
    `INSERT INTO resource (id, environment_id, type, fields, field_labels, created_at, updated_at)
     SELECT 'res_' || lpad(n::text, 26, '0'), $1, CASE WHEN n % 10 = 0 THEN 'tenth' ELSE 'contact' END,
            jsonb_build_object('n', n, 'even', n % 2 = 0, 'name', 'Contact ' || n, 'tags', jsonb_build_array('a', 'b'),
                               'address', jsonb_build_object('city', 'Town ' || n % 50)),
            ARRAY[label, CASE WHEN n % 2 = 0 THEN $3 ELSE $4 END],
            timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-01-01Z' + n * interval '1 second'
     FROM unnest($2::text[]) WITH ORDINALITY AS row(label, n)`,
    [await liveEnvironment(database), labels, even, odd],
  );
  await database.query('VACUUM ANALYZE resource');
}

/** Inserts events, one per second of time, in transactions of 10,000. One event of each has a rare type. */
export async function seedEvents(database: BenchDatabase, count: number): Promise<void> {
  const environment = await liveEnvironment(database);
  for (let from = 1; from <= count; from += 10_000) {
    await database.query(
      `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
       SELECT 'evt_' || lpad(n::text, 26, '0'), $1,
              CASE WHEN n % 10000 = 0 THEN 'integration.connected' WHEN n % 3 = 0 THEN 'resource.created'
                   ELSE 'resource.updated' END,
              'res_' || lpad((n % 50000)::text, 26, '0'),
              jsonb_build_object('before', jsonb_build_object('n', n), 'after', jsonb_build_object('n', n + 1)),
              timestamptz '2026-01-01Z' + n * interval '1 second'
       FROM generate_series($2::int, $3::int) AS n`,
      [environment, from, Math.min(from + 9_999, count)],
    );
  }
  await database.query('VACUUM ANALYZE event');
}

/** Inserts labelled conversations of the demo chat. The lowest number is the newest. */
export async function seedConversations(database: BenchDatabase, count: number): Promise<void> {
  const environment = await liveEnvironment(database);
  // Feeds wait for the oldest transaction of the server, so each must be short.
  for (let from = 1; from <= count; from += 20_000) {
    await database.query(
      `INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels, message_count,
                                 created_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, 'Conversation ' || n, '{}',
              jsonb_build_object('customer', 'c' || n % 500, 'plan', 'p' || n % 7, 'channel', 'web'),
              ARRAY['customer=c' || n % 500, 'plan=p' || n % 7, 'channel=web'], 2,
              now() - make_interval(secs => n), now() - make_interval(secs => n)
       FROM generate_series($3::int, $4::int) AS n`,
      [environment, CHAT, from, Math.min(from + 19_999, count)],
    );
  }
  await database.query('VACUUM ANALYZE conversation, conversation_count');
}

/** The ID of a seeded conversation by its number. `$n` is a number that no other request uses. */
export function conversationId(number: number | '$n'): string {
  return `00000000-0000-4000-a000-${number === '$n' ? number : String(number).padStart(12, '0')}`;
}

/** Inserts conversations of the demo agent in a range of numbers, each with this many messages in one finished run. */
export async function seedTimelines(
  database: BenchDatabase,
  [from, to]: readonly [number, number],
  items: number,
): Promise<void> {
  const values = [await liveEnvironment(database), AGENT, from, to];
  const id = `('00000000-0000-4000-a000-' || lpad(n::text, 12, '0'))::uuid`;
  const run = `('00000000-0000-4000-b000-' || lpad(n::text, 12, '0'))::uuid`;
  await database.query(
    `INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, meta_labels, message_count,
                               created_at, updated_at)
     SELECT ${id}, $1, $2, 'Conversation ' || n, '{}', '{}', '{}', $5, now(), now()
     FROM generate_series($3::int, $4::int) AS n`,
    [...values, items],
  );
  await database.query(
    `INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, request_id,
                      created_at, updated_at)
     SELECT ${run}, $1, ${id}, 1, true, 'completed', 'demo', 'seed', now(), now()
     FROM generate_series($3::int, $4::int) AS n WHERE $2::text IS NOT NULL`,
    values,
  );
  await database.query(
    `INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at)
     SELECT $1, ${id}, ${run}, 'message', item % 2, (ARRAY['assistant', 'user'])[item % 2 + 1]::message_role,
            jsonb_build_array(jsonb_build_object('type', 'text', 'text', 'Message ' || item)),
            nextval('timeline_revision'), now()
     FROM generate_series($3::int, $4::int) AS n, generate_series(1, $5::int) AS item WHERE $2::text IS NOT NULL`,
    [...values, items],
  );
  await database.query('UPDATE conversation c SET latest_run_id = r.id FROM run r WHERE r.conversation_id = c.id');
  await database.query('VACUUM ANALYZE conversation, run, timeline_item');
}

/** Inserts one conversation of the demo agent with this many messages: a question and a reply in each run. */
export async function seedLongConversation(database: BenchDatabase, number: number, items: number): Promise<void> {
  await seedTimelines(database, [number, number], items);
  const run = `('00000000-0000-4000-c000-' || lpad(turn::text, 12, '0'))::uuid`;
  const values = [conversationId(number), Math.ceil(items / 2)];
  await database.query(
    `INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, request_id,
                      created_at, updated_at)
     SELECT ${run}, c.environment_id, c.id, 1, true, 'completed', 'demo', 'seed', now(), now()
     FROM conversation c, generate_series(1, $2::int) AS turn WHERE c.id = $1::uuid`,
    values,
  );
  await database.query(
    `UPDATE timeline_item SET run_id = ${run}
     FROM (SELECT id, (row_number() OVER (ORDER BY id) + 1) / 2 AS turn FROM timeline_item WHERE conversation_id = $1::uuid) AS item
     WHERE timeline_item.id = item.id`,
    [conversationId(number)],
  );
  const last = `(SELECT run_id FROM timeline_item WHERE conversation_id = $1::uuid ORDER BY id DESC LIMIT 1)`;
  await database.query(`UPDATE conversation SET latest_run_id = ${last} WHERE id = $1::uuid`, [conversationId(number)]);
  await database.query('VACUUM ANALYZE conversation, run, timeline_item');
}
