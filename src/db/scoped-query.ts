import pg from 'pg';
import type { Scope } from './scope.ts';

/** The methods that `pg.Query` calls on its connection. */
interface Connection {
  bind(message: { readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: object): void;
}

/** The methods of `pg.Query` that its type does not declare. */
interface DriverQuery extends pg.Submittable {
  queryMode: 'extended' | undefined;
  prepare(connection: Connection): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (config: pg.QueryConfig) => DriverQuery;

/**
 * A statement with its scope. Both go to the server in one message, before one Sync, and PostgreSQL runs them as one
 * implicit transaction. The end of that transaction resets the settings. So the scope costs no round trip, and the next
 * statement on the connection does not inherit it.
 */
export class ScopedQuery extends DriverQuery {
  readonly #scope: Scope;
  #isScoped = false;

  constructor(config: pg.QueryConfig, scope: Scope) {
    super(config);
    this.queryMode = 'extended';
    this.#scope = scope;
  }

  override prepare(connection: Connection): void {
    connection.bind(this.#scope);
    connection.execute({});
    super.prepare(connection);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#isScoped) super.handleCommandComplete(message, connection);
    // The first completion belongs to the scope.
    this.#isScoped = true;
  }
}
