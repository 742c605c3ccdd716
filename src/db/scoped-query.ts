import pg from 'pg';
import { isPropagating } from './propagation.ts';
import { type Guard, READ_COMMITTED, type Scope } from './scope.ts';

/** The methods that `pg.Query` calls on its connection. */
interface Connection {
  parse(message: { readonly text: string; readonly name: string; readonly types: readonly [] }): void;
  bind(message: { readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: object): void;
  sync(): void;
  readonly stream: { write(bytes: Buffer): void };
  /** The texts of the prepared statements, by name. */
  readonly parsedStatements: Record<string, string>;
}

/** How the driver reads the rows of a statement. */
interface RowFormat {
  fields: object[];
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The members of `pg.Query` that its type does not declare. */
interface DriverQuery {
  queryMode: 'extended' | undefined;
  name: string | undefined;
  values: unknown[] | undefined;
  _rowMode: 'array' | undefined;
  _result: RowFormat;
  _results: RowFormat;
  _accumulateRows: boolean;
  submit(connection: Connection): Error | null;
  prepare(connection: Connection): void;
  hasBeenParsed(connection: Connection): boolean | string | undefined;
  handleError(error: Error, connection: Connection): void;
  handleRowDescription(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery;
const { Result } = pg as unknown as { Result: new (rowMode: string | undefined, types: unknown) => RowFormat };

/** The configuration of a statement. */
export interface StatementConfig {
  readonly text: string;
  readonly name?: string | undefined;
  readonly values?: unknown[] | undefined;
  readonly types?: unknown;
  readonly rowMode?: 'array' | undefined;
  /** The parsers of `types` are always the same for this text, so the format of the rows is kept with the statement. */
  readonly keepsFormat?: boolean;
}

/** The guard of a statement, if the statement can write. */
export function guardOf(scope: Scope, text: string): Guard | undefined {
  return scope.guard && canWrite(text) ? scope.guard : undefined;
}

/** Whether a statement can write: `WITH` can, and SELECT can only lock rows. */
export function canWrite(text: string): boolean {
  return !/^\s*(SELECT|BEGIN|COMMIT|ROLLBACK|SET|SAVEPOINT|RELEASE)\b/i.test(text);
}

/** Statements that run before another one, in the same message. They have no rows. */
interface Preceding {
  /** Undefined: `statement` is prepared. */
  readonly text: string | undefined;
  readonly statement: string;
  readonly values: readonly string[];
}

/** The name of the unnamed prepared statement. */
const UNNAMED = { statement: '', values: [] };

function precedingOf(scope: Scope | undefined, guard: Guard | undefined, isBlock: boolean): Preceding[] {
  const preceding: Preceding[] = [];
  if (scope && isBlock) {
    // One setting for each statement, because Citus sends the whole text to the workers.
    for (const text of ['BEGIN', ...scope.settings.split('; ')]) preceding.push({ text, ...UNNAMED });
  } else if (scope) {
    const { text, statement, values } = scope;
    if (text !== undefined) preceding.push({ text: READ_COMMITTED, ...UNNAMED });
    preceding.push({ text, statement, values });
  }
  if (guard) preceding.push({ text: guard.text, statement: '', values: guard.values });
  return preceding;
}

/**
 * A statement with its scope and its guard. They go to the server in one message, before one Sync,
 * and PostgreSQL runs them as one implicit transaction. The end of that transaction resets the settings. So the scope costs
 * no round trip, and the next statement on the connection does not inherit it.
 */
export class ScopedQuery extends DriverQuery {
  readonly #scope: Scope | undefined;
  readonly #guard: Guard | undefined;
  /** The completions of preceding statements that the server has not sent yet. */
  #ownCompletions = 0;
  /**
   * The transaction is explicit, and ends with a COMMIT in the same message. After an error the pool drops the connection,
   * and so the failed transaction.
   */
  #isBlock = false;
  #isComplete = false;
  #isPrepared = false;
  readonly #keepsFormat: boolean;
  #formats: Formats | undefined;

  /** In a transaction, which has its scope already, `scope` is undefined. */
  constructor(
    { text, name, values, types, rowMode, keepsFormat = false }: StatementConfig,
    scope: Scope | undefined,
    guard?: Guard,
  ) {
    // With an object the driver would copy each of its property descriptors.
    super(text);
    this.name = name;
    this.values = values;
    this._rowMode = rowMode;
    this._result = new Result(rowMode, types);
    this._results = this._result;
    this.queryMode = 'extended';
    this.#scope = scope;
    this.#guard = guard;
    this.#keepsFormat = keepsFormat && Boolean(name);
  }

  /** Sends the messages of the statement in one piece: six pieces take several times as long to send. */
  override submit(connection: Connection): Error | null {
    const messages: Buffer[] = [];
    const isDescribed = this.#takeFormat(connection);
    // A system scope needs no settings on the workers.
    this.#isBlock = this.#scope?.kind === 'environment' && isPropagating(connection);
    this.#isPrepared = Boolean(this.hasBeenParsed(connection));
    const error = super.submit(collector(connection, messages, isDescribed, this.#isBlock));
    if (messages.length > 0) connection.stream.write(Buffer.concat(messages));
    return error;
  }

  override prepare(connection: Connection): void {
    const preceding = precedingOf(this.#scope, this.#guard, this.#isBlock);
    this.#ownCompletions = preceding.length;
    for (const { text, statement, values } of preceding) {
      if (text !== undefined) connection.parse({ text, name: '', types: [] });
      connection.bind({ statement, values });
      connection.execute({});
    }
    super.prepare(connection);
  }

  /** The driver takes a parsed guard for the statement. If the guard fails, the server skips the statement. */
  override handleError(error: Error, connection: Connection): void {
    if (this.#ownCompletions > 0 && this.name && !this.#isPrepared) delete connection.parsedStatements[this.name];
    super.handleError(error, connection);
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#keep({ fields, _parsers, _prebuiltEmptyResultObject });
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#ownCompletions > 0) {
      this.#ownCompletions -= 1;
      return;
    }
    // The completion of COMMIT.
    if (this.#isComplete) return;
    this.#isComplete = this.#isBlock;
    super.handleCommandComplete(message, connection);
    this.#keep(null);
  }

  #keep(format: RowFormat | null): void {
    if (this.name && this.#formats?.has(this.name) === false) this.#formats.set(this.name, format);
  }

  /** Uses the format of an earlier execution on this connection, if there was one. */
  #takeFormat({ stream }: Connection): boolean {
    if (!this.#keepsFormat) return false;
    this.#formats = formats.get(stream) ?? new Map();
    formats.set(stream, this.#formats);
    const format = this.#formats.get(this.name ?? '');
    if (format) {
      Object.assign(this._result, format);
      this._accumulateRows = true;
    }
    return format !== undefined;
  }
}

/** By the names of statements. Null: the statement has no rows. */
type Formats = Map<string, RowFormat | null>;

/** For each connection, because a prepared statement of a connection cannot change its columns. */
const formats = new WeakMap<object, Formats>();

/** The connection, except that it collects messages instead of sending them. */
function collector(connection: Connection, messages: Buffer[], isDescribed: boolean, isBlock: boolean): Connection {
  const add = (bytes: Buffer) => void messages.push(bytes);
  const view = Object.create(connection);
  view._send = add;
  view.stream = { write: add };
  if (isDescribed) view.describe = () => {};
  if (isBlock) {
    view.sync = () => {
      view.parse({ text: 'COMMIT', name: '', types: [] });
      view.bind(UNNAMED);
      view.execute({});
      connection.sync.call(view);
    };
  }
  return view;
}
