import { SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { BoundedCache } from '../cache/bounded-cache.ts';
import { errorType, fail, type Spans } from './spans.ts';

type Callback = (error: unknown, ...rest: unknown[]) => void;

const VERB = /\b(INSERT INTO|UPDATE|DELETE FROM|SELECT|BEGIN|COMMIT|ROLLBACK|LISTEN|NOTIFY)\b/i;
const CHANGE = /\b(INSERT INTO|UPDATE|DELETE FROM)\s+(?:"public"\.)?"?(\w+)/i;
const READ = /\bFROM\s+(?:"public"\.)?"?(\w+)/i;

/**
 * Creates a span for each statement of a pool that runs inside of another span. The span has the kind of the statement and
 * its first table, not its text.
 */
export function traceStatements(pool: pg.Pool, spans: Spans): void {
  const { connect } = pool;
  // The pool calls a waiting callback where another caller released the connection.
  const bound = (callback?: Callback) =>
    (connect as (this: pg.Pool, callback?: Callback) => unknown).call(pool, callback && spans.bind(callback));
  pool.connect = bound as typeof pool.connect;
  let prototype: object | undefined;
  // Not a property of the client: transactions replace and delete that one.
  pool.on('connect', (client) => {
    prototype ??= tracedPrototype(Object.getPrototypeOf(client), spans);
    Object.setPrototypeOf(client, prototype);
  });
}

function tracedPrototype(original: { query: (...args: unknown[]) => unknown }, spans: Spans): object {
  const { query } = original;
  const summaryOf = summaries();
  return Object.create(original, {
    query: {
      writable: true,
      configurable: true,
      value(this: pg.Client, ...args: unknown[]) {
        const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text?: unknown } | undefined)?.text;
        if (!spans.current || typeof text !== 'string') return query.apply(this, args);
        const { operation, table } = summaryOf(text);
        const name = table === undefined ? operation : `${operation} ${table}`;
        const span = spans.start({
          name,
          kind: SpanKind.CLIENT,
          attributes: {
            'db.system.name': 'postgresql',
            'db.operation.name': operation,
            'db.query.summary': name,
            ...(table !== undefined && { 'db.collection.name': table }),
          },
        });
        const end = (error?: unknown) => {
          if (error) fail(span, errorType(error));
          span.end();
        };
        const last = args.length - 1;
        if (typeof args[last] === 'function') {
          const callback = args[last] as Callback;
          args[last] = (error: unknown, ...rest: unknown[]) => {
            end(error);
            callback(error, ...rest);
          };
          return query.apply(this, args);
        }
        const result = query.apply(this, args) as Promise<unknown> | undefined;
        if (typeof result?.then === 'function') result.then(() => end(), end);
        else end();
        return result;
      },
    },
  });
}

interface Summary {
  readonly operation: string;
  readonly table: string | undefined;
}

function summaries(): (text: string) => Summary {
  const known = new BoundedCache<Summary>('statementSummaries');
  return (text) => {
    const existing = known.get(text);
    if (existing) return existing;
    const summary = summarize(text);
    known.set(text, summary, 0);
    return summary;
  };
}

/** The first change of a statement, or its first read. */
function summarize(text: string): Summary {
  const change = CHANGE.exec(text);
  const operation = (change?.[1] ?? VERB.exec(text)?.[1] ?? 'SQL').split(' ')[0]?.toUpperCase() ?? 'SQL';
  return { operation, table: (change?.[2] ?? READ.exec(text)?.[1])?.toLowerCase() };
}
