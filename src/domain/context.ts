import type { Scope } from '../contract/scopes.ts';
import type { PrismaClient } from '../db/generated/client.ts';
import type { Live } from '../db/live.ts';
import type { RateLimiter } from '../db/rate-limiter.ts';
import type { EnvironmentRef, ScopedDb } from '../db/scoped.ts';
import type { Claim, Idempotency } from './access/idempotency.ts';
import type { AddressPort } from './address-port.ts';
import type { ActionPort } from './agent/action-port.ts';
import type { ModelPort } from './agent/model-port.ts';
import type { RunRegistry } from './agent/run-registry.ts';
import type { SecretBox } from './secret-box.ts';

export type { EnvironmentRef };

/** Who asks. Without credentials there is no caller. */
export interface Caller {
  readonly kind: 'api_key';
  readonly id: string;
  readonly environment: EnvironmentRef;
  readonly scopes: ReadonlySet<Scope>;
}

/** Facts and faults for people who run the service; never content, never a secret. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export type TurnOutcome = 'completed' | 'waiting_for_client_action' | 'interrupted' | 'failed';

/** What the service's metrics are told. */
export interface Observer {
  /** Answers what to call when it closes. */
  subscriptionOpened(): () => void;
  turnEnded(outcome: TurnOutcome): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
  modelAnswered(model: string, outcome: 'ok' | 'failed' | 'timeout' | 'aborted', durationMs: number): void;
}

/** What every request shares: made once, by `main`. */
export interface Services {
  /** Sees every environment: for credentials, recovery and first start alone. */
  readonly prisma: PrismaClient;
  readonly model: ModelPort;
  readonly defaultModel: string;
  readonly actions: ActionPort;
  readonly runs: RunRegistry;
  readonly addresses: AddressPort;
  readonly live: Live;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
  /** Where the hosted pages are reached, without a trailing slash. */
  readonly chatUrl: string;
  readonly secretKey: string;
  readonly secretBox: SecretBox;
  readonly log: Log;
  readonly observer: Observer;
}

/** The request that is carried out. */
export interface RequestFacts {
  /** Its x-request-id. */
  readonly id: string;
  /** Where it is carried out under an Idempotency-Key. */
  readonly claim: Claim | undefined;
}

/** What a domain function may use beside its input. */
export interface Context {
  readonly caller: Caller;
  readonly environment: EnvironmentRef;
  /** Bound to `environment`. */
  readonly db: ScopedDb;
  readonly request: RequestFacts;
  readonly services: Services;
  now(): Date;
  newId(): string;
}
