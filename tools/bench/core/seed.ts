import type { BenchDatabase } from './database.ts';

/** The live environment, to which the known key belongs. */
export async function liveEnvironment(database: BenchDatabase): Promise<string> {
  const { rows } = await database.query(`SELECT id FROM environment WHERE kind = 'live'`);
  return String(rows[0]?.id);
}

/** So many resources, a second apart. */
export async function seedResources(database: BenchDatabase, environmentId: string, count: number): Promise<void> {
  await database.query(
    `INSERT INTO resource (id, environment_id, type, fields, created_at, updated_at)
     SELECT 'res_' || lpad(n::text, 26, '0'), $1, 'contact',
            jsonb_build_object('name', 'Contact ' || n, 'email', 'contact' || n || '@example.com', 'age', n % 90,
                               'tags', jsonb_build_array('a', 'b'), 'address', jsonb_build_object('city', 'Town ' || n % 50)),
            timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-01-01Z' + n * interval '1 second'
     FROM generate_series(1, $2::int) AS n`,
    [environmentId, count],
  );
  await database.query('VACUUM ANALYZE resource');
}
