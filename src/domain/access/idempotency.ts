import { hash, randomUUID } from 'node:crypto';
import { ServiceError } from '../../contract/errors.ts';
import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import type { Log } from '../context.ts';
import type { SecretBox } from '../secret-box.ts';

/** A request that is carried out under a key (WIRE 11). */
export interface Claim {
  readonly environmentId: string;
  readonly key: string;
  readonly owner: string;
  /** What an earlier attempt had made when its process died, so that it is not made again. */
  readonly effect: unknown;
}

/** What a claim comes to: the request is to be carried out, or its first answer is there already. */
export type Claimed<Answer> =
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'replay'; readonly answer: Answer };

const KEPT_HOURS = 24;
const LEASE_SECONDS = 5;
const HEARTBEAT_MS = 1_500;
const SWEEP_MS = 60_000;
const SWEEP_ROWS = 1_000;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** What two requests under one key are compared by. */
export function fingerprintOf(request: unknown): string {
  return hash('sha256', JSON.stringify(request), 'base64url');
}

/**
 * Keeps first answers by Idempotency-Key for 24 hours. While a request is at work, its process renews a lease; one that
 * dies leaves the key to whoever sends the request again.
 */
export class Idempotency {
  readonly #prisma: PrismaClient;
  readonly #log: Log;
  readonly #box: SecretBox;
  readonly #owner = randomUUID();
  readonly #timers: NodeJS.Timeout[] = [];
  /** Of requests that are at work here: their leases are renewed. */
  readonly #held = new Set<Claim>();

  constructor(prisma: PrismaClient, log: Log, box: SecretBox) {
    this.#prisma = prisma;
    this.#log = log;
    this.#box = box;
  }

  start(): void {
    this.#every(HEARTBEAT_MS, () => this.#renew());
    this.#every(SWEEP_MS, () => this.#sweep());
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /**
   * Keys are their environment's; those of `somebody` are theirs alone.
   * @throws {ServiceError} invalid_request, idempotency_key_reused, request_in_progress
   */
  async claim<Answer>(
    environmentId: string,
    given: string,
    { fingerprint, somebody }: { readonly fingerprint: string; readonly somebody: string | undefined },
  ): Promise<Claimed<Answer>> {
    const key = somebody === undefined ? given : fingerprintOf([somebody, given]);
    if (!VISIBLE_ASCII.test(given)) {
      throw new ServiceError('invalid_request', '{param} must be 1 to 255 visible ASCII characters.', {
        param: ['Idempotency-Key'],
      });
    }
    const [taken] = await this.#prisma.$queryRaw<{ effect: unknown }[]>`
      INSERT INTO idempotency_record AS known (environment_id, key, fingerprint, lease_owner, lease_expires_at,
                                               created_at, expires_at)
      VALUES (${environmentId}::uuid, ${key}, ${fingerprint}, ${this.#owner}::uuid,
              now() + make_interval(secs => ${LEASE_SECONDS}), now(), now() + make_interval(hours => ${KEPT_HOURS}))
      ON CONFLICT (environment_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, lease_owner = excluded.lease_owner,
          lease_expires_at = excluded.lease_expires_at, created_at = excluded.created_at,
          expires_at = excluded.expires_at, answer = NULL,
          effect = CASE WHEN known.expires_at > now() THEN known.effect END
      WHERE known.expires_at <= now()
         OR (known.answer IS NULL AND known.lease_expires_at <= now() AND known.fingerprint = excluded.fingerprint)
      RETURNING effect`;
    if (!taken) return { kind: 'replay', answer: await this.#firstAnswer<Answer>(environmentId, key, fingerprint) };
    const claim = { environmentId, key, owner: this.#owner, effect: taken.effect };
    this.#held.add(claim);
    return { kind: 'claim', claim };
  }

  /** Keeps the first answer: sealed, because it may show a secret that is shown once. */
  async keep(claim: Claim, answer: unknown): Promise<void> {
    const sealed = Buffer.from(this.#box.seal(JSON.stringify(answer), claim.key)).toString('base64');
    await this.#end(claim, (mine) =>
      this.#prisma.idempotencyRecord.updateMany({
        where: mine,
        data: { answer: sealed, leaseOwner: null, leaseExpiresAt: null },
      }),
    );
  }

  /**
   * Forgets a request that came to nothing, so that it may be sent again (5xx). Where nobody knows what it came to, what
   * it is known to have made is kept, and found again by whoever sends it again.
   */
  async release(claim: Claim, isCertain: boolean): Promise<void> {
    const nothing = isCertain ? {} : { effect: { equals: Prisma.DbNull } };
    await this.#end(claim, async (mine) => {
      await this.#prisma.idempotencyRecord.deleteMany({ where: { ...mine, ...nothing } });
      if (!isCertain)
        await this.#prisma.idempotencyRecord.updateMany({ where: mine, data: { leaseExpiresAt: new Date(0) } });
    });
  }

  async #end(claim: Claim, change: (mine: object) => Promise<unknown>): Promise<void> {
    const { environmentId, key, owner } = claim;
    try {
      await change({ environmentId, key, leaseOwner: owner });
    } catch (error) {
      // The answer is out already; the lease runs out, and a retry finds what the request has made.
      this.#log.error({ err: error }, 'an answer could not be kept under its idempotency key');
    } finally {
      this.#held.delete(claim);
    }
  }

  async #firstAnswer<Answer>(environmentId: string, key: string, fingerprint: string): Promise<Answer> {
    const record = await this.#prisma.idempotencyRecord.findUnique({
      where: { environmentId_key: { environmentId, key } },
    });
    if (record && record.fingerprint !== fingerprint) {
      const message = 'This idempotency key was sent with another request. Use a new key for a new request.';
      throw new ServiceError('idempotency_key_reused', message, { param: ['Idempotency-Key'] });
    }
    // Kept by this class in the form that it is asked for in.
    if (record?.answer) return JSON.parse(this.#box.open(Buffer.from(String(record.answer), 'base64'), key)) as Answer;
    const message = 'The first request with this idempotency key is still at work. Send it again shortly.';
    throw new ServiceError('request_in_progress', message, { param: ['Idempotency-Key'] });
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const held = [...this.#held].map(({ environmentId, key }) => ({ environment_id: environmentId, key }));
    // One whose answer could not be kept is nobody's any more, though this process is still named in it.
    await this.#prisma.$executeRaw`
      UPDATE idempotency_record SET lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
      WHERE lease_owner = ${this.#owner}::uuid AND (environment_id, key) IN (
        SELECT environment_id::uuid, key FROM jsonb_to_recordset(${JSON.stringify(held)}::jsonb)
          AS held(environment_id text, key text))`;
  }

  async #sweep(): Promise<void> {
    await this.#prisma.$executeRaw`
      DELETE FROM idempotency_record WHERE (environment_id, key) IN (
        SELECT environment_id, key FROM idempotency_record WHERE expires_at <= now()
        LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`;
  }

  #every(periodMs: number, task: () => Promise<void>): void {
    const timer = setInterval(() => {
      task().catch((error: unknown) => this.#log.error({ err: error }, 'background work on idempotency keys failed'));
    }, periodMs);
    this.#timers.push(timer.unref());
  }
}

/**
 * Writes down what a request has made, in the statement that makes it: a CTE behind others. `from` is one that has rows
 * only where it is made; without it the statement makes it or fails.
 */
export function markedEffect(claim: Claim | undefined, effect: object, from?: 'new_run' | 'moved'): Prisma.Sql {
  if (!claim) return Prisma.empty;
  return Prisma.sql`, effected AS (
      UPDATE idempotency_record SET effect = ${JSON.stringify(effect)}::jsonb
      ${from ? Prisma.raw(`FROM ${from}`) : Prisma.empty}
      WHERE idempotency_record.environment_id = ${claim.environmentId}::uuid
        AND idempotency_record.key = ${claim.key} AND idempotency_record.lease_owner = ${claim.owner}::uuid
    )`;
}

/** The same within a transaction. */
export async function markEffect(
  tx: Pick<Prisma.TransactionClient, 'idempotencyRecord'>,
  claim: Claim | undefined,
  effect: Prisma.InputJsonObject | null,
): Promise<void> {
  if (!claim) return;
  const { environmentId, key, owner } = claim;
  await tx.idempotencyRecord.updateMany({
    where: { environmentId, key, leaseOwner: owner },
    data: { effect: effect ?? Prisma.DbNull },
  });
}
