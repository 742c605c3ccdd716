import type { BoundedCache } from '../cache/bounded-cache.ts';
import type { PrismaClient } from '../db/generated/client.ts';
import type { PubSub } from '../db/pub-sub.ts';
import type { RateLimiter } from '../db/rate-limiter.ts';
import type { ScopedDb } from '../db/scoped.ts';
import type { Sql, SystemSql } from '../db/sql.ts';
import type { Tails } from '../db/tail.ts';
import type { AuthorizationPort } from './access/apps/authorization-port.ts';
import type { CallerWatches } from './access/caller-watches.ts';
import type { ChallengePort } from './access/challenges/challenge-port.ts';
import type { CredentialUse } from './access/credential-use.ts';
import type { JwtPort } from './access/end-users/jwt-port.ts';
import type { Idempotency } from './access/idempotency.ts';
import type { MailOutbox } from './access/mail/outbox.ts';
import type { OidcPort } from './access/sso/oidc-port.ts';
import type { McpAuthorizationPort } from './actions/mcp-authorization-port.ts';
import type { McpPort } from './actions/mcp-port.ts';
import type { AddressPort } from './address-port.ts';
import type { LiveTurns } from './agent/live/live-turns.ts';
import type { ModelPort } from './agent/model-port.ts';
import type { RunRegistry } from './agent/run/run-registry.ts';
import type { Caller, EnvironmentRef } from './caller.ts';
import type { CallCounter } from './documents/call-counter.ts';
import type { DocumentCompiler } from './documents/compiler-port.ts';
import type { FileScan, FileStorage } from './files/storage-port.ts';
import type { Leases } from './leases/leases.ts';
import type { RequestFacts } from './request.ts';
import type { SecretBox } from './secret-box.ts';
import type { Log, Observer, UnownedTurns } from './telemetry.ts';
import type { Tracing } from './tracing.ts';

/** Dependencies that all requests share. `openServices` creates them once. */
export interface Services {
  readonly stores: Stores;
  readonly ports: Ports;
  readonly settings: Settings;
  readonly process: ProcessServices;
}

/** What the service keeps in its database, in Redis and in the storage of files. */
export interface Stores {
  /** Sees every environment. Only for credentials, recovery and the first start. */
  readonly prisma: PrismaClient;
  /** Hand-written SQL that sees every environment, for the same purposes. Requests use `Context.sql`. */
  readonly sql: SystemSql;
  readonly leases: Leases;
  readonly pubSub: PubSub;
  /** One reader per topic, shared by all subscriptions to it. */
  readonly tails: Tails;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
  readonly credentialUse: CredentialUse;
  readonly documentCalls: CallCounter;
  /** Mails to users. */
  readonly mail: MailOutbox;
  /** The bytes of uploaded files. */
  readonly storage: FileStorage;
}

/** Adapters of what the domain uses outside of the service. */
export interface Ports {
  readonly model: ModelPort;
  readonly mcp: McpPort;
  readonly mcpAuthorization: McpAuthorizationPort;
  readonly addresses: AddressPort;
  readonly documents: DocumentCompiler;
  readonly oidc: OidcPort;
  readonly jwts: JwtPort;
  readonly authorization: AuthorizationPort;
  /** Undefined: the operator has no provider of challenges. */
  readonly challenges: ChallengePort | undefined;
  /** Inspects each file before it can be read. Undefined: no scan is configured. */
  readonly scanFile: FileScan | undefined;
}

/** What the operator has set. */
export interface Settings {
  readonly defaultModel: string;
  /** The currency of the model prices and of every cost: an ISO 4217 code. */
  readonly currency: string;
  /** The service's public URL, without a trailing slash. */
  readonly publicUrl: string;
  /** The public URL of the hosted pages, without a trailing slash. */
  readonly chatUrl: string;
  /** Whether apps can register themselves. */
  readonly appRegistration: boolean;
  readonly secretKey: string;
  readonly secretBox: SecretBox;
}

/** What belongs to this process: its work and its observation. */
export interface ProcessServices {
  readonly runs: RunRegistry;
  /** The text of the turns that run in this process. */
  readonly liveTurns: LiveTurns;
  readonly unownedTurns: () => Promise<UnownedTurns>;
  readonly log: Log;
  readonly observer: Observer;
  /** Undefined: tracing is off. */
  readonly tracing: Tracing | undefined;
  /**
   * Milliseconds of a monotonic clock with an arbitrary start. Measure durations with it. `Context.now` is the time of
   * day, which an operator or NTP can set.
   */
  readonly monotonicMs: () => number;
  readonly callerWatches: CallerWatches;
  /** Environments with a budget that has refused a step of this process, until a new turn fits. */
  readonly usedUpBudgets: BoundedCache<true>;
  /** Aborted when this process shuts down. */
  readonly draining: AbortSignal;
  /** Closes each open subscription. A shutdown calls them all, because subscriptions do not end on their own. */
  readonly openFeeds: Set<() => void>;
  /** Work that outlasts its request, such as the exchange of a token. A shutdown waits for it. */
  readonly unfinished: Set<Promise<unknown>>;
}

type MemberName = { [Group in keyof Services]: keyof Services[Group] }[keyof Services];

/** The named members in their groups, for functions that need no others. */
export type SomeServices<Name extends MemberName> = {
  readonly [Group in keyof Services as Extract<keyof Services[Group], Name> extends never ? never : Group]: Pick<
    Services[Group],
    Extract<keyof Services[Group], Name>
  >;
};

/** The dependencies of a domain function, for one request. */
export interface Context {
  readonly caller: Caller;
  readonly environment: EnvironmentRef;
  /** Bound to `environment`. */
  readonly db: ScopedDb;
  /** Hand-written SQL outside of transactions. Row-level security binds it to `environment`. */
  readonly sql: Sql;
  readonly request: RequestFacts;
  readonly services: Services;
  now(): Date;
  newId(): string;
}

/** The context of requests that need no credentials. */
export type PublicContext = Pick<Context, 'request' | 'services' | 'now' | 'newId'>;
