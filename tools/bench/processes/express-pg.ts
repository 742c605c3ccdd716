import pg from 'pg';
import { type ResourceRow, serveBaseline } from '../core/baseline-routes.ts';

// The hand-written routes with `pg` and prepared statements.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c TimeZone=UTC' });

async function send<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
  return (await pool.query({ name, text, values: [...values] })).rows as Row[];
}

const COLUMNS = 'id, type, fields, created_at AS "createdAt", updated_at AS "updatedAt"';
const NEWEST = 'ORDER BY created_at DESC, id DESC LIMIT $2';

serveBaseline('Baseline', {
  async environmentOf(tokenHash) {
    const text = 'SELECT environment_id FROM api_key WHERE token_hash = $1 AND revoked_at IS NULL';
    const [row] = await send<{ environment_id: string }>('key', text, [tokenHash]);
    return row?.environment_id;
  },
  resources: (environmentId, take, after) =>
    after
      ? send<ResourceRow>(
          'page',
          `SELECT ${COLUMNS} FROM resource WHERE environment_id = $1 AND (created_at, id) < ($3, $4) ${NEWEST}`,
          [environmentId, take, after.createdAt, after.id],
        )
      : send<ResourceRow>('first', `SELECT ${COLUMNS} FROM resource WHERE environment_id = $1 ${NEWEST}`, [
          environmentId,
          take,
        ]),
  async resource(environmentId, id) {
    const text = `SELECT ${COLUMNS} FROM resource WHERE id = $2 AND environment_id = $1`;
    return (await send<ResourceRow>('one', text, [environmentId, id]))[0];
  },
});
