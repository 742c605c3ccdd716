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

const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/i;

/** Whether a fault means that the database is away, rather than that a statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  for (let fault = error, depth = 0; fault instanceof Error && depth < 5; fault = fault.cause, depth += 1) {
    if (codesOf(fault).some((code) => UNAVAILABLE.has(code))) return true;
    if (MESSAGES.test(fault.message)) return true;
  }
  return false;
}

/** Of a hand-written statement Prisma says that it failed (P2010), and keeps the server's own code beside it. */
interface Fault {
  readonly code?: unknown;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } };
}

function codesOf(error: Error): string[] {
  const { code, meta } = error as Fault;
  return [code, meta?.driverAdapterError?.cause?.originalCode].filter((known) => typeof known === 'string');
}
