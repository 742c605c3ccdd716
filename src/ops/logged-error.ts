import { ServiceError } from '../contract/errors.ts';

/** An error as it appears in the log. */
interface LoggedError {
  readonly type: string;
  readonly code?: string | number;
  /** Prisma's name for a database error. */
  readonly kind?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly message?: string;
  readonly stack?: readonly string[];
  readonly cause?: LoggedError;
}

const MAX_CAUSES = 5;
const MAX_FRAMES = 20;

/** A line of a stack with a file, a line and a column. */
const FRAME = /^ +at .*(?:file:|node:|\/|\\).*:\d+:\d+\)?$/;

/** A name, an error code, or a table: never a sentence. */
const WORD = /^[\w.$-]{1,100}$/;

/**
 * Returns the fields of an error that are safe to log. Messages and other fields are left out, because providers,
 * parsers, Prisma and PostgreSQL quote user content and stored values in them.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (typeof error !== 'object' || error === null) return { type: typeof error };
  const { name, code, originalCode, kind, table, constraint, cause, meta } = error as ErrorFields;
  const next = cause ?? meta?.driverAdapterError;
  const errorCode = [code, originalCode].find((each) => typeof each === 'number' || isWord(each));
  return {
    type: isWord(name) ? name : 'Error',
    ...(errorCode !== undefined && { code: errorCode as string | number }),
    ...(isWord(kind) && { kind }),
    ...(isWord(table) && { table }),
    ...(isWord(constraint) && { constraint }),
    ...(hasSafeMessage(error) && { message: error.message }),
    ...(error instanceof Error && { stack: framesOf(error) }),
    ...(next !== undefined && next !== null && depth < MAX_CAUSES && { cause: loggedError(next, depth + 1) }),
  };
}

interface ErrorFields {
  readonly name?: unknown;
  readonly code?: unknown;
  /** PostgreSQL's code, if Prisma's adapter has no kind for it. */
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly table?: unknown;
  readonly constraint?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && WORD.test(value);
}

/** The errors of this service contain no user content. Those of system calls contain an address or a path. */
function hasSafeMessage(error: object): error is Error {
  return error instanceof ServiceError || (error instanceof Error && 'syscall' in error);
}

/** Reads only the lines after the message, because a message can contain lines that look like a stack. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = message === '' ? 0 : stack.indexOf(message) + message.length;
  const lines = stack.slice(start).split('\n');
  return lines
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
