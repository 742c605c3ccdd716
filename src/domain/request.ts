import type { Claim } from './access/idempotency.ts';
import type { LimitNotice } from './access/rate-limits.ts';

/** The deployment that a request names, read from the caller's workspace during authentication. */
export interface KnownDeployment {
  readonly deploymentId: string;
  readonly workspaceId: string;
  /** A row as `publishedJson` selects it. */
  readonly deployment: unknown;
}

/** The header `Parley-Challenge` of a request and its response. */
export interface SolvedChallenge {
  readonly solution: string | undefined;
  /** Sends a pass to the client, for its next starts. */
  sendPass(pass: string): void;
}

/** Facts about the current request. */
export interface RequestFacts {
  /** The x-request-id. */
  readonly id: string;
  /** The client's address. X-Forwarded-For counts only from trusted proxies. */
  readonly address: string;
  readonly userAgent: string | undefined;
  /** Set if the request carries an Idempotency-Key. */
  readonly claim: Claim | undefined;
  readonly known?: KnownDeployment | undefined;
  /** The challenge that the client has solved. */
  readonly challenge?: SolvedChallenge | undefined;
  /** Reports a rate limit to the client, in response headers. */
  reportLimit(notice: LimitNotice): void;
}
