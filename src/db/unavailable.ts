/** What the driver, the pool and Prisma say when the database cannot be reached or has thrown the connection out. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
]);

/** The same in the words of Prisma's driver adapter, which is all that a raw statement's fault has. */
const KINDS = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections']);

const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end/i;

/** What a fault may have of these; `driverAdapterError` is the adapter's own, below a fault of Prisma's. */
interface Fault {
  readonly code?: unknown;
  /** The server's own, where the adapter knows no kind. */
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** Whether a fault means that the database is away, rather than that a statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  let fault = error as Fault | undefined;
  for (let depth = 0; typeof fault === 'object' && fault !== null && depth < 5; depth += 1) {
    const { code, originalCode, kind, message, cause, meta } = fault;
    if ([code, originalCode].some((known) => typeof known === 'string' && UNAVAILABLE.has(known))) return true;
    if (typeof kind === 'string' && KINDS.has(kind)) return true;
    if (typeof message === 'string' && MESSAGES.test(message)) return true;
    fault = (cause ?? meta?.driverAdapterError) as Fault | undefined;
  }
  return false;
}
