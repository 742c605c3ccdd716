import type pg from 'pg';

/**
 * Connections to the coordinator of a distributed database. A statement runs on a worker there, whose policies read the
 * settings of the scope. Citus sends a worker only what SET LOCAL sets in an explicit transaction.
 */
const propagating = new WeakSet<object>();

const connectionOf = (client: pg.ClientBase): object => (client as unknown as { connection: object }).connection;

export function markPropagating(client: pg.ClientBase): void {
  propagating.add(connectionOf(client));
}

/** @param connection the driver's connection of a client */
export function isPropagating(connection: object): boolean {
  return propagating.has(connection);
}

export function clientIsPropagating(client: pg.ClientBase): boolean {
  return propagating.has(connectionOf(client));
}
