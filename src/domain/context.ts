import type { Role } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { ActionSource, TurnOutcome } from '../contract/statuses.ts';
import type { PrismaClient } from '../db/generated/client.ts';
import type { Live } from '../db/live.ts';
import type { RateLimiter } from '../db/rate-limiter.ts';
import type { EnvironmentRef, ScopedDb } from '../db/scoped.ts';
import type { Sql } from '../db/sql.ts';
import type { Tails } from '../db/tail.ts';
import type { CallerWatches } from './access/caller-watches.ts';
import type { CredentialUse } from './access/credential-use.ts';
import type { Claim, Idempotency } from './access/idempotency.ts';
import type { LimitNotice } from './access/rate-limits.ts';
import type { McpPort } from './actions/mcp-port.ts';
import type { AddressPort } from './address-port.ts';
import type { ModelPort } from './agent/model-port.ts';
import type { RunRegistry } from './agent/run-registry.ts';
import type { SecretBox } from './secret-box.ts';

export type { EnvironmentRef };

/** What an operator has limited a caller to; null for no limit. */
export interface CallerLimits {
  /** Of the key. */
  readonly requestsPerMinute: number | null;
  /** Of the environment: all of its callers together. */
  readonly environmentPerMinute: number | null;
  readonly concurrentRuns: number | null;
}

interface CallerBase {
  /** Of the key or the session. */
  readonly id: string;
  /** Of the secret that they came with. */
  readonly tokenHash: string;
  readonly environment: EnvironmentRef;
  readonly scopes: ReadonlySet<Scope>;
  readonly limits: CallerLimits;
}

/** A server of the workspace. */
export interface ApiKeyCaller extends CallerBase {
  readonly kind: 'api_key';
}

/** A member of the workspace who has signed in. */
export interface SessionCaller extends CallerBase {
  readonly kind: 'session';
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly workspaceName: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

/** Somebody of a browser that a hosted page has given a visitor's cookie, until it ends. */
export interface Visitor {
  readonly id: string;
  readonly until: Date;
}

/** Somebody without credentials at a deployment that takes such; `id` is the deployment's. */
export interface AnonymousCaller extends CallerBase {
  readonly kind: 'anonymous';
  /** Undefined for whoever has no cookie of the deployment's hosted page. */
  readonly visitor: Visitor | undefined;
  /** Of the deployment; null for what holds everywhere. */
  readonly anonymousPerMinute: number | null;
}

/** Whoever runs the service, at its command line; `id` is the name that the system knows them by. */
export interface OperatorCaller extends CallerBase {
  readonly kind: 'operator';
}

/** Who asks. */
export type Caller = ApiKeyCaller | SessionCaller | AnonymousCaller | OperatorCaller;

/** Facts and faults for people who run the service; never content, never a secret. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What the service's metrics are told. */
export interface Observer {
  /** Answers what to call when it closes. */
  subscriptionOpened(): () => void;
  turnEnded(outcome: TurnOutcome): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
  actionRan(source: ActionSource, outcome: 'completed' | 'failed', durationMs: number): void;
  modelAnswered(model: string, outcome: 'ok' | 'failed' | 'timeout' | 'aborted', durationMs: number): void;
}

/** What every request shares: made once, by `main`. */
export interface Services {
  /** Sees every environment: for credentials, recovery and first start alone. */
  readonly prisma: PrismaClient;
  /** Hand-written SQL outside of transactions; names its environment itself. */
  readonly sql: Sql;
  readonly model: ModelPort;
  readonly defaultModel: string;
  readonly mcp: McpPort;
  readonly runs: RunRegistry;
  readonly addresses: AddressPort;
  readonly live: Live;
  /** What feeds follow, read once for all of them. */
  readonly tails: Tails;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
  readonly credentialUse: CredentialUse;
  /** Where clients reach the service, without a trailing slash. */
  readonly publicUrl: string;
  /** Where the hosted pages are reached, without a trailing slash. */
  readonly chatUrl: string;
  readonly secretKey: string;
  readonly secretBox: SecretBox;
  readonly log: Log;
  readonly observer: Observer;
  readonly callerWatches: CallerWatches;
  /** Aborted when this process shuts down. */
  readonly draining: AbortSignal;
  /** What a shutdown ends: feeds have no end of their own. */
  readonly openFeeds: Set<() => void>;
}

/** The deployment that a request names, as it stood in its caller's workspace when the caller was looked up. */
export interface KnownDeployment {
  readonly deploymentId: string;
  readonly workspaceId: string;
  /** What `publishedJson` has read. */
  readonly deployment: unknown;
}

/** The request that is carried out. */
export interface RequestFacts {
  /** Its x-request-id. */
  readonly id: string;
  /** The client's, as far as proxies are trusted. */
  readonly address: string;
  readonly userAgent: string | undefined;
  /** Where it is carried out under an Idempotency-Key. */
  readonly claim: Claim | undefined;
  readonly known?: KnownDeployment | undefined;
  /** Tells the client of a limit that it is counted under. */
  tellLimit(notice: LimitNotice): void;
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

/** The same where nobody has to be known. */
export type PublicContext = Pick<Context, 'request' | 'services' | 'now' | 'newId'>;
