import type { RequestHandler } from 'express';
import type { Database } from '../db/database.ts';

const CHECK_TIMEOUT_MS = 2_000;

/** `/healthz`: the process answers. */
export const healthz: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/**
 * `/readyz`: send this process requests. Not while it shuts down, and not while its database does not answer.
 * Migrations are applied before the process listens, so listening says that they are.
 */
export function readyz(database: Database, isDraining: () => boolean): RequestHandler {
  return async (_request, response) => {
    const checks = {
      accepting: !isDraining(),
      database: await answersInTime(database),
      migrations: true,
    };
    const ready = Object.values(checks).every(Boolean);
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', checks });
  };
}

async function answersInTime(database: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  const asked = database.pool.query('SELECT 1').then(
    () => true,
    () => false,
  );
  const answer = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answer;
}
