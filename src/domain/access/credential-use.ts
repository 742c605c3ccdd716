import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import type { ApiKeyCaller, Caller, Log, RequestFacts, SessionCaller } from '../context.ts';

/** How exactly `lastUsedAt` is known. */
const EVERY_MS = 60_000;

/** A credential that is in use tells the audit log so this often. */
const AUDITED_EVERY_HOURS = 1;

const MAX_REMEMBERED = 10_000;

/** Writes down when credentials are used, beside the requests that use them and never in their way. */
export class CredentialUse {
  readonly #prisma: PrismaClient;
  readonly #log: Log;
  readonly #recorded = new Map<string, number>();
  readonly #writing = new Set<Promise<unknown>>();

  constructor(prisma: PrismaClient, log: Log) {
    this.#prisma = prisma;
    this.#log = log;
  }

  record(caller: Caller, request: RequestFacts): void {
    if (caller.kind !== 'api_key' && caller.kind !== 'session') return;
    const now = Date.now();
    if (now - (this.#recorded.get(caller.id) ?? 0) < EVERY_MS) return;
    if (this.#recorded.size >= MAX_REMEMBERED) this.#recorded.clear();
    this.#recorded.set(caller.id, now);
    this.#later(this.#write(caller, request));
  }

  /** An attempt to sign in that was refused. Beside the request too: a user who is not known costs nothing here. */
  refuse(workspaceId: string, userId: string, { id: requestId, address }: RequestFacts): void {
    this.#later(
      this.#prisma.$executeRaw`
        INSERT INTO audit_entry (workspace_id, action, actor_kind, subject_id, details, address, request_id,
                                 occurred_at)
        VALUES (${workspaceId}::uuid, 'session.refused', 'anonymous', ${userId}, '{}', ${address}, ${requestId}, now())`,
    );
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #later(work: Promise<unknown>): void {
    const writing = work
      .catch((error: unknown) => this.#log.error({ err: error }, 'the use of a credential could not be written down'))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  #write(caller: ApiKeyCaller | SessionCaller, { id: requestId, address }: RequestFacts): Promise<unknown> {
    const { kind, id, environment } = caller;
    const isSession = kind === 'session';
    const [table, row] = isSession
      ? [Prisma.sql`session`, Prisma.sql`${id}::uuid`]
      : [Prisma.sql`api_key`, Prisma.sql`${id}`];
    const actorId = isSession ? caller.user.id : id;
    return this.#prisma.$executeRaw`
      WITH before AS (
        SELECT id, last_used_at FROM ${table} WHERE id = ${row} FOR NO KEY UPDATE SKIP LOCKED
      ), touched AS (
        UPDATE ${table} SET last_used_at = now() FROM before WHERE ${table}.id = before.id
      )
      INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                               request_id, occurred_at)
      SELECT ${environment.workspaceId}::uuid, ${environment.kind}::environment_kind, ${`${kind}.used`}, ${kind},
             ${actorId}, id::text, '{}', ${address}, ${requestId}, now()
      FROM before
      WHERE last_used_at IS NULL OR last_used_at < now() - make_interval(hours => ${AUDITED_EVERY_HOURS})`;
  }
}
