import { ConfigError } from './config.ts';
import { DataDirInUse } from './db/data-dir.ts';
import { isUnavailable } from './db/unavailable.ts';

/** Faults that the person at the keyboard can mend are said without a stack. */
export function reasonToStop(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof DataDirInUse) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The port is taken. Stop what listens there, or set PORT to another one.';
  // No such database, user or password.
  if (code === '3D000' || code?.startsWith('28')) return `DATABASE_URL is refused: ${(error as Error).message}.`;
  if (isUnavailable(error)) return `The database does not answer (${code}). Start it, or correct DATABASE_URL.`;
  return error;
}
