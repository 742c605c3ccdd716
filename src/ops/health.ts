import type { RequestHandler } from 'express';
import type { UnownedTurns } from '../domain/telemetry.ts';

const CHECK_TIMEOUT_MS = 2_000;

/** `/healthz`: the process responds. */
export const healthz: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/** The free space for uploaded files. With less than `reservedBytes` uploads are refused. */
export interface FreeSpace {
  readonly freeBytes: number;
  readonly reservedBytes: number;
}

/** The conditions for a process to receive requests. */
export interface Readiness {
  /** The process is not shutting down. */
  readonly accepting: () => boolean;
  /** Every migration is applied. Fails if the database does not respond. */
  readonly migrated: () => Promise<boolean>;
  /** The database accepts writes. */
  readonly writable: () => Promise<boolean>;
  /** The space of the uploaded files. It decides about uploads, not about readiness. Undefined: it is not known. */
  readonly space: () => Promise<FreeSpace | undefined>;
  /** Turns that no process works on. Every process reports the same, so they do not decide about its readiness. */
  readonly unowned: () => Promise<UnownedTurns>;
}

/** `/readyz`: the process can receive requests. */
export function readyz({ accepting, migrated, writable, space, unowned }: Readiness): RequestHandler {
  return async (_request, response) => {
    const [isMigrated, isWritable, files, turns] = await Promise.all([
      inTime(migrated()),
      inTime(writable()),
      inTime(space()),
      inTime(unowned()),
    ]);
    const checks = {
      accepting: accepting(),
      database: isMigrated !== undefined,
      migrations: isMigrated === true,
      writable: isWritable === true,
    };
    const ready = Object.values(checks).every(Boolean);
    response.status(ready ? 200 : 503).json({
      status: ready ? 'ready' : 'not_ready',
      checks,
      ...(files && { files: filesOf(files) }),
      ...(turns && { turns: turnsOf(turns) }),
    });
  };
}

function filesOf({ freeBytes, reservedBytes }: FreeSpace) {
  return { accepts_uploads: freeBytes >= reservedBytes, free_bytes: freeBytes, reserved_bytes: reservedBytes };
}

function turnsOf({ lost, waiting }: UnownedTurns) {
  return {
    lost: lost.count,
    oldest_lost_seconds: lost.oldestSeconds,
    waiting: waiting.count,
    oldest_waiting_seconds: waiting.oldestSeconds,
  };
}

/** Returns undefined if the check fails or times out. */
async function inTime<T>(check: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), CHECK_TIMEOUT_MS);
  });
  const result = await Promise.race([check.catch(() => undefined), timeout]);
  clearTimeout(timer);
  return result;
}
