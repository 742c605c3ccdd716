import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** A stored resource. */
export interface ResourceRow {
  readonly id: string;
  readonly type: string;
  readonly fields: unknown;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The position after which a page starts. */
export interface PagePosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** The database reads of a hand-written route. */
export interface Reads {
  /** The environment of an active key. */
  environmentOf(tokenHash: string): Promise<string | undefined>;
  resources(environmentId: string, take: number, after: PagePosition | undefined): Promise<ResourceRow[]>;
  resource(environmentId: string, id: string): Promise<ResourceRow | undefined>;
}

/**
 * Two hand-written routes without the other work of the service: no request log, no limits, no signed cursors, no error
 * bodies. The routes below `/open` do not look up the key either.
 */
export function serveBaseline(name: string, reads: Reads): void {
  const app = express().disable('x-powered-by').set('query parser', 'simple').set('etag', false);
  const withKey: express.RequestHandler = async (request, response, next) => {
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
  for (const [prefix, authenticate] of [['', withKey] as const, ['/open', open] as const]) {
    app.get(`${prefix}/v1/resources`, authenticate, async ({ query }, response) => {
      const limit = Number(query.limit ?? 20);
      const rows = await reads.resources(response.locals.environment, limit + 1, positionOf(query.cursor));
      const page = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      response.json({ data: page.map(toJson), meta: { nextCursor: hasMore ? cursorOf(page.at(-1)) : null, hasMore } });
    });
    app.get(`${prefix}/v1/resources/:id`, authenticate, async ({ params }, response) => {
      const row = await reads.resource(response.locals.environment, String(params.id));
      if (row) response.set('ETag', etagOf(row)).json({ data: toJson(row) });
      else response.status(404).json({ error: 'not_found' });
    });
  }
  const server = app.listen(0, '127.0.0.1', () => {
    console.log(`${name} runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  process.once('SIGTERM', () => process.exit(0));
}

function toJson({ id, type, fields, createdAt, updatedAt }: ResourceRow): object {
  return { id, type, fields, created_at: createdAt, updated_at: updatedAt };
}

function cursorOf(row: ResourceRow | undefined): string {
  return Buffer.from(JSON.stringify([row?.createdAt, row?.id])).toString('base64url');
}

function positionOf(cursor: unknown): PagePosition | undefined {
  if (typeof cursor !== 'string') return undefined;
  const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string];
  return { createdAt: new Date(createdAt), id };
}

function etagOf({ id, updatedAt }: ResourceRow): string {
  return `"${hash('sha256', `${id} ${updatedAt.getTime()}`, 'base64url').slice(0, 22)}"`;
}
