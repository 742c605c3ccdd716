import type { RequestHandler } from 'express';

const CHECK_TIMEOUT_MS = 2_000;

/** `/healthz`: the process answers. */
export const healthz: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/** What a process needs before it can take requests. */
export interface Readiness {
  /** Not shutting down. */
  readonly accepting: () => boolean;
  /** The database answers, and every migration is applied in it. */
  readonly migrated: () => Promise<boolean>;
}

/** `/readyz`: send this process requests. */
export function readyz({ accepting, migrated }: Readiness): RequestHandler {
  return async (_request, response) => {
    const answer = await inTime(migrated());
    const checks = { accepting: accepting(), database: answer !== undefined, migrations: answer === true };
    const ready = Object.values(checks).every(Boolean);
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', checks });
  };
}

/** Undefined where there is no answer, or none in time. */
async function inTime(asked: Promise<boolean>): Promise<boolean | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), CHECK_TIMEOUT_MS);
  });
  const answer = await Promise.race([asked.catch(() => undefined), late]);
  clearTimeout(timer);
  return answer;
}
