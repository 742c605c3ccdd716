import type { Role } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { EnvironmentRef } from '../db/scope.ts';

export type { EnvironmentRef };

/** Limits that an operator has set; null means no limit. */
export interface CallerLimits {
  /** Per API key. */
  readonly requestsPerMinute: number | null;
  /** For all callers of the environment together. */
  readonly environmentPerMinute: number | null;
  readonly concurrentRuns: number | null;
}

interface CallerBase {
  /** The ID of the key, session or deployment that identifies the caller. */
  readonly id: string;
  /** The hash of the credential that the request carried. */
  readonly tokenHash: string;
  readonly environment: EnvironmentRef;
  readonly scopes: ReadonlySet<Scope>;
  readonly limits: CallerLimits;
}

/** A server of the workspace. */
export interface ApiKeyCaller extends CallerBase {
  readonly kind: 'api_key';
  /** When the secret of the request stops working. Null: never. */
  readonly expiresAt: Date | null;
  /** The IP ranges that the key works from. Empty: from everywhere. */
  readonly ipRanges: readonly string[];
  /** The deployments that the key is bound to. Empty: it is not bound. */
  readonly deploymentIds: readonly string[];
}

/** A user of the workspace's customer or of the workspace's product. They reach only their own conversations. */
export interface EndUserCaller extends CallerBase {
  readonly kind: 'end_user';
  /** The customer's own ID of the user. `id` is that of the token. With a JWT or an app, `id` is a digest of the user. */
  readonly endUser: string;
  readonly deploymentIds: readonly string[];
  readonly expiresAt: Date;
  /** Of a JWT that the customer's server signed. `issuerId` names its settings. */
  readonly jwt?: { readonly issuerId: string; readonly issuedAt: Date };
  /** The app that the user has allowed to act for them. */
  readonly app?: { readonly id: string };
}

/** A signed-in member of the workspace. */
export interface SessionCaller extends CallerBase {
  readonly kind: 'session';
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly workspaceName: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

/** An app that a member has allowed to act for them. It never has more permissions than the member. */
export interface AppCaller extends CallerBase {
  readonly kind: 'app';
  readonly user: { readonly id: string; readonly name: string };
  /** The member's role. */
  readonly role: Role;
  /** When the token of the request expires. */
  readonly expiresAt: Date;
}

/** A browser that holds the visitor cookie of a hosted page. */
export interface Visitor {
  readonly id: string;
  /** When the cookie expires. */
  readonly until: Date;
}

/** A caller without credentials at a deployment that allows anonymous callers. `id` is the deployment's ID. */
export interface AnonymousCaller extends CallerBase {
  readonly kind: 'anonymous';
  /** Undefined without a cookie of the deployment's hosted page. */
  readonly visitor: Visitor | undefined;
  /** The deployment's own limit; null means the service's default. */
  readonly anonymousPerMinute: number | null;
}

/** The operator at the command line. `id` is their name in the operating system. */
export interface OperatorCaller extends CallerBase {
  readonly kind: 'operator';
}

/** The service itself, for a run that no request waits for. */
export interface ServiceCaller extends CallerBase {
  readonly kind: 'service';
}

export type Caller =
  | ApiKeyCaller
  | EndUserCaller
  | SessionCaller
  | AppCaller
  | AnonymousCaller
  | OperatorCaller
  | ServiceCaller;
