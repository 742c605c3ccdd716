import { ConfigError } from './config.ts';
import { MigrationLockError } from './db/apply-migration.ts';
import { DataDirError } from './db/data-dir-error.ts';
import { DistributionError } from './db/distribute/server.ts';
import { ForeignDatabaseError } from './db/migrate.ts';
import { isUnavailable } from './db/unavailable.ts';

/** Errors whose message says what to do. */
const EXPLAINED = [ConfigError, DataDirError, DistributionError, ForeignDatabaseError, MigrationLockError];

/** Returns a message for errors that the operator can fix, and other errors unchanged, to print with their stack. */
export function reasonToStop(error: unknown): unknown {
  if (EXPLAINED.some((type) => error instanceof type)) return (error as Error).message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The port is in use. Stop the other program, or set PORT to another port.';
  // invalid_catalog_name, and class 28: the database, user or password is wrong.
  if (code === '3D000' || code?.startsWith('28')) {
    return `PostgreSQL rejected DATABASE_URL: ${(error as Error).message}.`;
  }
  if (isUnavailable(error)) return `The database does not respond (${code}). Start it, or correct DATABASE_URL.`;
  return error;
}
