import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** A resource as it is stored. */
export interface ResourceRow {
  readonly id: string;
  readonly type: string;
  readonly fields: unknown;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where a page goes on. */
export interface Place {
  readonly createdAt: Date;
  readonly id: string;
}

/** What a hand-written route asks of its database. */
export interface Reads {
  /** The environment of a key that is in use. */
  environmentOf(tokenHash: string): Promise<string | undefined>;
  resources(environmentId: string, take: number, after: Place | undefined): Promise<ResourceRow[]>;
  resource(environmentId: string, id: string): Promise<ResourceRow | undefined>;
}

/**
 * Two routes as somebody writes them by hand, who does without all else that the service does: no request log, no limits, no
 * sealed cursors, no error bodies. Below `/open` even without looking up the key.
 */
export function serveFloor(name: string, reads: Reads): void {
  const app = express().disable('x-powered-by').set('query parser', 'simple').set('etag', false);
  const keyed: express.RequestHandler = async (request, response, next) => {
    const key = request.get('x-api-key') ?? '';
    const environment = await reads.environmentOf(hash('sha256', key, 'base64url'));
    if (environment === undefined) {
      response.status(401).json({ error: 'unauthorized' });
      return;
    }
    response.locals.environment = environment;
    next();
  };
  const open: express.RequestHandler = (request, response, next) => {
    response.locals.environment = request.get('x-environment-id');
    next();
  };
  for (const [prefix, known] of [['', keyed] as const, ['/open', open] as const]) {
    app.get(`${prefix}/v1/resources`, known, async ({ query }, response) => {
      const limit = Number(query.limit ?? 20);
      const rows = await reads.resources(response.locals.environment, limit + 1, placeOf(query.cursor));
      const page = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      response.json({ data: page.map(shown), meta: { nextCursor: hasMore ? cursorOf(page.at(-1)) : null, hasMore } });
    });
    app.get(`${prefix}/v1/resources/:id`, known, async ({ params }, response) => {
      const row = await reads.resource(response.locals.environment, String(params.id));
      if (row) response.set('ETag', etagOf(row)).json({ data: shown(row) });
      else response.status(404).json({ error: 'not_found' });
    });
  }
  const server = app.listen(0, '127.0.0.1', () => {
    console.log(`${name} runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  process.once('SIGTERM', () => process.exit(0));
}

function shown({ id, type, fields, createdAt, updatedAt }: ResourceRow): object {
  return { id, type, fields, created_at: createdAt, updated_at: updatedAt };
}

function cursorOf(row: ResourceRow | undefined): string {
  return Buffer.from(JSON.stringify([row?.createdAt, row?.id])).toString('base64url');
}

function placeOf(cursor: unknown): Place | undefined {
  if (typeof cursor !== 'string') return undefined;
  const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string];
  return { createdAt: new Date(createdAt), id };
}

function etagOf({ id, updatedAt }: ResourceRow): string {
  return `"${hash('sha256', `${id} ${updatedAt.getTime()}`, 'base64url').slice(0, 22)}"`;
}
