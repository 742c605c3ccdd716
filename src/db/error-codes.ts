const MAX_CAUSES = 5;

/** The fields of errors of Node.js, `pg` and Prisma that say what happened. */
export interface ErrorFields {
  readonly code?: unknown;
  /** PostgreSQL's code, if Prisma's adapter has no kind for it. */
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** Whether a condition holds for an error or for one of its causes. */
export function isCausedBy(error: unknown, holds: (fields: ErrorFields) => boolean): boolean {
  let current = error as ErrorFields | undefined;
  for (let depth = 0; typeof current === 'object' && current !== null && depth < MAX_CAUSES; depth += 1) {
    if (holds(current)) return true;
    current = (current.cause ?? current.meta?.driverAdapterError) as ErrorFields | undefined;
  }
  return false;
}

/** Whether the row that a new row refers to does not exist any more. */
export function isForeignKeyError(error: unknown): boolean {
  return hasErrorCode(error, '23503') || isCausedBy(error, ({ kind }) => kind === 'ForeignKeyConstraintViolation');
}

/** Whether PostgreSQL failed with this code (SQLSTATE), directly or through Prisma. */
export function hasErrorCode(error: unknown, sqlState: string): boolean {
  return isCausedBy(error, ({ code, originalCode }) => code === sqlState || originalCode === sqlState);
}
