import { BoundedCache } from '../../cache/bounded-cache.ts';
import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import type { Caller } from '../caller.ts';
import type { RequestFacts } from '../request.ts';
import type { Log } from '../telemetry.ts';
import type { RefusedKey } from './keys/key-caller.ts';
import type { SignInProblem } from './sso/problem.ts';

/** The precision of `lastUsedAt`. */
const RECORD_INTERVAL_MS = 60_000;

/** The minimum interval between two audit entries about the use of a credential. */
const AUDIT_INTERVAL_HOURS = 1;

/** The recorded facts of a request. */
type Source = Pick<RequestFacts, 'id' | 'address' | 'userAgent'>;

const TABLES = {
  api_key: Prisma.sql`api_key`,
  app: Prisma.sql`connected_app`,
  session: Prisma.sql`session`,
} as const;

/** Records in the background when credentials are used. It never delays or fails a request. */
export class CredentialUse {
  readonly #prisma: PrismaClient;
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  readonly #recorded = new BoundedCache<number>('credentialUses');
  readonly #writing = new Set<Promise<unknown>>();

  constructor(prisma: PrismaClient, log: Log, monotonicMs: () => number) {
    this.#prisma = prisma;
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  record(caller: Caller, request: Source): void {
    const used = usedCredential(caller);
    if (used && this.#isDue(used.id)) this.#runInBackground(this.#write(used, request));
  }

  /** Audits a request with a valid key from outside its IP ranges, at most once an hour for each key. */
  recordRefusedKey(
    { id, environment }: RefusedKey,
    { id: requestId, address }: Pick<RequestFacts, 'id' | 'address'>,
  ): void {
    if (!this.#isDue(`refused ${id}`)) return;
    this.#runInBackground(
      this.#prisma.$executeRaw`
        WITH refused AS (
          UPDATE api_key SET last_refused_at = now()
          WHERE id = ${id}
            AND (last_refused_at IS NULL OR last_refused_at < now() - make_interval(hours => ${AUDIT_INTERVAL_HOURS}))
          RETURNING id
        )
        INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, subject_id, details, address, request_id,
                                 occurred_at)
        SELECT ${environment.workspaceId}::uuid, ${environment.kind}::environment_kind, 'api_key.refused', 'anonymous',
               id, '{}', ${address}, ${requestId}, now()
        FROM refused`,
    );
  }

  /** Audits a failed sign-in in the background, so the response time is the same for unknown users. */
  recordFailedSignIn(
    workspaceId: string,
    userId: string,
    { id: requestId, address }: RequestFacts,
    details: object = {},
  ): void {
    this.#runInBackground(
      this.#prisma.$executeRaw`
        INSERT INTO audit_entry (workspace_id, action, actor_kind, subject_id, details, address, request_id,
                                 occurred_at)
        VALUES (${workspaceId}::uuid, 'session.refused', 'anonymous', ${userId}, ${JSON.stringify(details)}::jsonb, ${address}, ${requestId}, now())`,
    );
  }

  /** Audits a failed single sign-on in the background. */
  recordFailedSignOn(workspaceId: string, { code }: SignInProblem, { id: requestId, address }: RequestFacts): void {
    const details = JSON.stringify({ reason: code });
    this.#runInBackground(
      this.#prisma.$executeRaw`
        INSERT INTO audit_entry (workspace_id, action, actor_kind, details, address, request_id, occurred_at)
        VALUES (${workspaceId}::uuid, 'session.refused', 'anonymous', ${details}::jsonb, ${address}, ${requestId}, now())`,
    );
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #isDue(key: string): boolean {
    const now = this.#monotonicMs();
    if (now - (this.#recorded.get(key) ?? -RECORD_INTERVAL_MS) < RECORD_INTERVAL_MS) return false;
    this.#recorded.set(key, now, 8);
    return true;
  }

  #runInBackground(work: Promise<unknown>): void {
    const writing = work
      .catch((error: unknown) => this.#log.error({ err: error }, 'the use of a credential could not be recorded'))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  #write({ kind, id, actorId, environment }: UsedCredential, { id: requestId, address }: Source): Promise<unknown> {
    const table = TABLES[kind];
    const row = kind === 'api_key' ? Prisma.sql`${id}` : Prisma.sql`${id}::uuid`;
    const changes = kind === 'api_key' ? Prisma.sql`, last_used_address = ${address}` : Prisma.empty;
    return this.#prisma.$executeRaw`
      WITH before AS (
        SELECT id, last_used_at FROM ${table} WHERE id = ${row} FOR NO KEY UPDATE SKIP LOCKED
      ), touched AS (
        UPDATE ${table} SET last_used_at = now()${changes} FROM before WHERE ${table}.id = before.id
      )
      INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                               request_id, occurred_at)
      SELECT ${environment.workspaceId}::uuid, ${environment.kind}::environment_kind, ${`${kind}.used`}, ${kind},
             ${actorId}, id::text, '{}', ${address}, ${requestId}, now()
      FROM before
      WHERE last_used_at IS NULL OR last_used_at < now() - make_interval(hours => ${AUDIT_INTERVAL_HOURS})`;
  }
}

/** A credential with a row of its own. */
interface UsedCredential extends Pick<Caller, 'id' | 'environment'> {
  readonly kind: keyof typeof TABLES;
  readonly actorId: string;
}

function usedCredential(caller: Caller): UsedCredential | undefined {
  const { kind, id, environment } = caller;
  if (kind === 'api_key' || kind === 'app') return { kind, id, environment, actorId: id };
  if (kind === 'session') return { kind, id, environment, actorId: caller.user.id };
  if (kind !== 'end_user' || !caller.app) return undefined;
  return { kind: 'app', id: caller.app.id, environment, actorId: caller.app.id };
}
