import { hash } from 'node:crypto';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import { changeByEnvironment, type FoundRow } from '../by-environment.ts';
import type { HeldLeases } from '../leases/held-leases.ts';
import type { Leases } from '../leases/leases.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import type { SecretBox } from '../secret-box.ts';
import type { Log } from '../telemetry.ts';

/** A request that runs with an idempotency key. */
export interface Claim {
  readonly environmentId: string;
  readonly key: string;
  readonly owner: string;
  /** The recorded effect of an earlier attempt whose process died. It must not happen again. */
  readonly effect: unknown;
  /** The request runs a turn. Its statements have conditions of their own, because the turn can outlive the request. */
  readonly runsTurn?: boolean;
  /** Set if the response is only a turn. The statement that settles the turn then stores the response. */
  readonly turn?: {
    readonly scopes: readonly string[];
    isStored: boolean;
    /** The request does not wait for its turn. Its response is not stored, so that another attempt can wait. */
    isStarted?: boolean;
  };
}

/** The result of a claim: run the request, or replay its first response. */
export type ClaimResult<Response> =
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'replay'; readonly response: Response }
  /** The first request has finished. Its response follows from its recorded effect. */
  | { readonly kind: 'recorded'; readonly claim: Claim };

const SWEEP_MS = 60_000;
const FAILURE_MESSAGE = 'background work on idempotency keys failed';

const CLAIM_LEASES = {
  name: Prisma.sql`idempotency_record`,
  key: Prisma.sql`key`,
  keys: Prisma.sql`text[]`,
  active: Prisma.sql`true`,
  columns: Prisma.sql`key`,
};

const SWEEP_ROWS = 1_000;

const VISIBLE_ASCII = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyLength}}$`);

/** The stored key of one caller, which cannot collide with the keys of other callers. */
function namespacedKey(namespace: string, key: string): string {
  return hash('sha256', JSON.stringify([namespace, key]), 'base64url');
}

/**
 * Stores first responses by Idempotency-Key for 24 hours. The process renews a lease while the request runs. If the
 * process dies, a retry takes the key over.
 */
export class Idempotency {
  readonly #prisma: PrismaClient;
  readonly #log: Log;
  readonly #box: SecretBox;
  readonly #leases: Leases;
  readonly #tasks: PeriodicTasks;
  /** The claims of requests that run in this process. */
  readonly #held: HeldLeases<Claim>;

  constructor(prisma: PrismaClient, log: Log, box: SecretBox, leases: Leases) {
    this.#prisma = prisma;
    this.#log = log;
    this.#box = box;
    this.#leases = leases;
    this.#tasks = new PeriodicTasks(log);
    this.#held = leases.heldIn(CLAIM_LEASES);
  }

  start(): void {
    this.#leases.start({ failureMessage: FAILURE_MESSAGE, renew: async () => void (await this.#held.renew()) });
    this.#tasks.every(SWEEP_MS, FAILURE_MESSAGE, () => this.sweep());
  }

  close(): Promise<void> {
    return this.#tasks.stop();
  }

  /**
   * Claims a key. Keys belong to their environment, or to a namespace within it.
   * @throws {ServiceError} invalid_request, idempotency_key_reused, request_in_progress
   */
  async claim<Response>(
    environmentId: string,
    sentKey: string,
    { request, namespace }: { readonly request: unknown; readonly namespace: string | undefined },
  ): Promise<ClaimResult<Response>> {
    const key = namespace === undefined ? sentKey : namespacedKey(namespace, sentKey);
    // A keyed digest, because a request can contain a password.
    const fingerprint = this.#box.digest(JSON.stringify(request));
    if (!VISIBLE_ASCII.test(sentKey)) {
      throw new ServiceError(
        'invalid_request',
        `{param} must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters.`,
        {
          param: ['Idempotency-Key'],
        },
      );
    }
    // A jump of the clock can expire the leases of requests that run in this process.
    const isRunning = this.#held.names.some((held) => held.environmentId === environmentId && held.key === key);
    if (isRunning) return this.#firstResponse<Response>(environmentId, key, fingerprint);
    const [row] = await this.#prisma.$queryRaw<{ effect: unknown }[]>`
      INSERT INTO idempotency_record AS known (environment_id, key, fingerprint, lease_owner, lease_expires_at,
                                               created_at, expires_at)
      VALUES (${environmentId}::uuid, ${key}, ${fingerprint}, ${this.#leases.owner}::uuid,
              ${this.#leases.end}, now(), now() + make_interval(hours => ${LIMITS.idempotencyHours}))
      ON CONFLICT (environment_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, lease_owner = excluded.lease_owner,
          lease_expires_at = excluded.lease_expires_at, created_at = excluded.created_at,
          expires_at = excluded.expires_at, answer = NULL,
          effect = CASE WHEN known.expires_at > excluded.created_at THEN known.effect END
      WHERE known.expires_at <= excluded.created_at
         OR (known.answer IS NULL AND known.effect -> 'turn' IS NULL AND known.lease_expires_at <= excluded.created_at
             AND known.fingerprint = excluded.fingerprint)
      RETURNING effect`;
    if (!row) return this.#firstResponse<Response>(environmentId, key, fingerprint);
    const claim = { environmentId, key, owner: this.#leases.owner, effect: row.effect };
    this.#held.add(claim, { environmentId, id: key });
    return { kind: 'claim', claim };
  }

  /** Stores the first response. It is sealed, because it can contain a secret that is shown once. */
  async storeResponse(claim: Claim, response: unknown): Promise<void> {
    const sealed = Buffer.from(this.#box.seal(JSON.stringify(response), claim.key)).toString('base64');
    await this.#finish(claim, (mine) =>
      this.#prisma.idempotencyRecord.updateMany({
        where: mine,
        data: { answer: sealed, leaseOwner: null, leaseExpiresAt: null },
      }),
    );
  }

  /** Stops renewing the lease of a request whose response was stored with its effect. */
  stopRenewing(claim: Claim): void {
    this.#held.delete(claim);
  }

  /**
   * Releases the key of a failed request, so that a retry can run (5xx). If the outcome is not certain, the recorded
   * effect is kept for the retry.
   */
  async release(claim: Claim, isCertain: boolean): Promise<void> {
    const withoutEffect = isCertain ? {} : { effect: { equals: Prisma.DbNull } };
    await this.#finish(claim, async (mine) => {
      await this.#prisma.idempotencyRecord.deleteMany({ where: { ...mine, ...withoutEffect } });
      // Without an owner, a renewal that began before cannot extend the lease.
      const data = { leaseOwner: null, leaseExpiresAt: new Date(0) };
      if (!isCertain) await this.#prisma.idempotencyRecord.updateMany({ where: mine, data });
    });
  }

  async #finish(claim: Claim, change: (mine: object) => Promise<unknown>): Promise<void> {
    const { environmentId, key, owner } = claim;
    try {
      await change({ environmentId, key, leaseOwner: owner });
    } catch (error) {
      // The response was sent already. The lease expires, and a retry finds the effect.
      this.#log.error({ err: error }, 'a response could not be stored for its idempotency key');
    } finally {
      this.#held.delete(claim);
    }
  }

  async #firstResponse<Response>(
    environmentId: string,
    key: string,
    fingerprint: string,
  ): Promise<ClaimResult<Response>> {
    const record = await this.#prisma.idempotencyRecord.findUnique({
      where: { environmentId_key: { environmentId, key } },
    });
    if (record && record.fingerprint !== fingerprint) {
      const message = 'This idempotency key was sent with another request. Use a new key for a new request.';
      throw new ServiceError('idempotency_key_reused', message, { param: ['Idempotency-Key'] });
    }
    if (record?.answer) {
      // Written by `storeResponse`.
      const text = this.#box.open(Buffer.from(String(record.answer), 'base64'), key);
      return { kind: 'replay', response: JSON.parse(text) as Response };
    }
    const effect: unknown = record?.effect;
    if (typeof effect === 'object' && effect !== null && 'turn' in effect) {
      return { kind: 'recorded', claim: { environmentId, key, owner: this.#leases.owner, effect } };
    }
    const message = 'The first request with this idempotency key is still running. Retry shortly.';
    throw new ServiceError('request_in_progress', message, { param: ['Idempotency-Key'] });
  }

  /** Deletes expired keys, as every process does at intervals. */
  async sweep(): Promise<void> {
    const expired = await this.#prisma.$queryRaw<FoundRow[]>`
      SELECT environment_id::text AS "environmentId", key AS id FROM idempotency_record WHERE expires_at <= now()
      LIMIT ${SWEEP_ROWS}`;
    await changeByEnvironment(
      expired,
      (environmentId, keys) => this.#prisma.$executeRaw`
        DELETE FROM idempotency_record WHERE environment_id = ${environmentId}::uuid AND key IN (
          SELECT key FROM idempotency_record
          WHERE environment_id = ${environmentId}::uuid AND key = ANY (${keys}::text[]) AND expires_at <= now()
          FOR UPDATE SKIP LOCKED)`,
    );
  }
}
