import pg from 'pg';
import { READ_COMMITTED, type Scope } from './scope.ts';

/** The methods that `pg.Query` calls on its connection. */
interface Connection {
  parse(message: { readonly text: string; readonly name: string; readonly types: readonly [] }): void;
  bind(message: { readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: object): void;
  readonly stream: { write(bytes: Buffer): void };
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

/**
 * A statement with its scope. Both go to the server in one message, before one Sync, and PostgreSQL runs them as one
 * implicit transaction. The end of that transaction resets the settings. So the scope costs no round trip, and the next
 * statement on the connection does not inherit it.
 */
export class ScopedQuery extends DriverQuery {
  readonly #scope: Scope;
  /** The completions of statements that belong to the scope. */
  #ownCompletions: number;
  readonly #keepsFormat: boolean;
  #formats: Formats | undefined;

  constructor({ text, name, values, types, rowMode, keepsFormat = false }: StatementConfig, scope: Scope) {
    // With an object the driver would copy each of its property descriptors.
    super(text);
    this.name = name;
    this.values = values;
    this._rowMode = rowMode;
    this._result = new Result(rowMode, types);
    this._results = this._result;
    this.queryMode = 'extended';
    this.#scope = scope;
    this.#ownCompletions = scope.text === undefined ? 1 : 2;
    this.#keepsFormat = keepsFormat && Boolean(name);
  }

  /** Sends the messages of the statement in one piece: six pieces take several times as long to send. */
  override submit(connection: Connection): Error | null {
    const messages: Buffer[] = [];
    const isDescribed = this.#takeFormat(connection);
    const error = super.submit(collector(connection, messages, isDescribed));
    if (messages.length > 0) connection.stream.write(Buffer.concat(messages));
    return error;
  }

  override prepare(connection: Connection): void {
    const { text } = this.#scope;
    if (text !== undefined) {
      connection.parse({ text: READ_COMMITTED, name: '', types: [] });
      connection.bind({ statement: '', values: [] });
      connection.execute({});
      connection.parse({ text, name: '', types: [] });
    }
    connection.bind(this.#scope);
    connection.execute({});
    super.prepare(connection);
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
function collector(connection: Connection, messages: Buffer[], isDescribed: boolean): Connection {
  const add = (bytes: Buffer) => void messages.push(bytes);
  const view = Object.create(connection);
  view._send = add;
  view.stream = { write: add };
  if (isDescribed) view.describe = () => {};
  return view;
}
