import type { PrismaClient } from '../../db/generated/client.ts';
import type { Caller, Log, RequestFacts } from '../context.ts';

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
    if (caller.kind === 'anonymous') return;
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

  #write({ kind, id, environment }: Caller, { id: requestId, address }: RequestFacts): Promise<unknown> {
    const facts = { workspaceId: environment.workspaceId, environment: environment.kind, requestId, address };
    return kind === 'session' ? this.#writeSession(id, facts) : this.#writeKey(id, facts);
  }

  #writeKey(id: string, { workspaceId, environment, requestId, address }: UseFacts): Promise<unknown> {
    return this.#prisma.$executeRaw`
      WITH before AS (
        SELECT id, last_used_at FROM api_key WHERE id = ${id} FOR NO KEY UPDATE SKIP LOCKED
      ), touched AS (
        UPDATE api_key SET last_used_at = now() FROM before WHERE api_key.id = before.id
      )
      INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                               request_id, occurred_at)
      SELECT ${workspaceId}::uuid, ${environment}::environment_kind, 'api_key.used', 'api_key', id, id, '{}',
             ${address}, ${requestId}, now()
      FROM before
      WHERE last_used_at IS NULL OR last_used_at < now() - make_interval(hours => ${AUDITED_EVERY_HOURS})`;
  }

  #writeSession(id: string, { workspaceId, environment, requestId, address }: UseFacts): Promise<unknown> {
    return this.#prisma.$executeRaw`
      WITH before AS (
        SELECT id, user_id, last_used_at FROM session WHERE id = ${id}::uuid FOR NO KEY UPDATE SKIP LOCKED
      ), touched AS (
        UPDATE session SET last_used_at = now() FROM before WHERE session.id = before.id
      )
      INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                               request_id, occurred_at)
      SELECT ${workspaceId}::uuid, ${environment}::environment_kind, 'session.used', 'session', user_id::text, id::text,
             '{}', ${address}, ${requestId}, now()
      FROM before
      WHERE last_used_at IS NULL OR last_used_at < now() - make_interval(hours => ${AUDITED_EVERY_HOURS})`;
  }
}

interface UseFacts {
  readonly workspaceId: string;
  readonly environment: string;
  readonly requestId: string;
  readonly address: string;
}
