import ipaddr from 'ipaddr.js';
import { ANONYMOUS_PER_MINUTE } from '../../contract/anonymous-rates.ts';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { RateLimit, RateLimiter, RateLimitResult } from '../../db/rate-limiter.ts';
import type { EndUserCaller } from '../caller.ts';
import { hashToken } from './tokens.ts';

export type { RateLimit };

/** How often a caller can do something. */
export const RATE_LIMITS = {
  /** Conversations and one-shot runs that callers without credentials start, by IP address. */
  anonymousStarts: { name: 'anonymous-starts', points: ANONYMOUS_PER_MINUTE.starts, seconds: 60 },
  /** Turns and other changes of callers without credentials in conversations that exist, by IP address. */
  anonymousWrites: { name: 'anonymous-writes', points: ANONYMOUS_PER_MINUTE.writes, seconds: 60 },
  /** Reads of callers without credentials, by IP address. */
  anonymousReads: { name: 'anonymous-reads', points: ANONYMOUS_PER_MINUTE.reads, seconds: 60 },
  /** Reads of callers without credentials, by conversation. */
  conversationReads: { name: 'conversation-reads', points: 240, seconds: 60 },
  /** Turns of callers without credentials, by conversation. */
  anonymousTurns: { name: 'anonymous-turns', points: ANONYMOUS_PER_MINUTE.turns, seconds: 60 },
  /** Ratings of callers without credentials, by conversation. */
  anonymousRatings: { name: 'anonymous-ratings', points: 60, seconds: 60 },
  /** Requests of an end user. */
  endUserRequests: { name: 'end-user-requests', points: 600, seconds: 60 },
  /** Turns of an end user. */
  endUserTurns: { name: 'end-user-turns', points: 30, seconds: 60 },
  /** Suggested replies, by person and by environment: each asks the model. */
  suggestionsOfPerson: { name: 'suggestions-person', points: 20, seconds: 60 },
  suggestionsOfEnvironment: { name: 'suggestions-environment', points: 200, seconds: 60 },
  /** Tests of models, by environment: each asks the model. */
  modelTests: { name: 'model-tests', points: 10, seconds: 60 },
  /** Starts with one solved challenge. */
  challengeStarts: { name: 'challenge-starts', points: LIMITS.challengeStarts, seconds: LIMITS.challengeMinutes * 60 },
  /** Responses that the provider of challenges verifies, by IP address. */
  challengeChecks: { name: 'challenge-checks', points: 30, seconds: 60 },
  /** Uploads that callers without credentials start, by IP address. */
  anonymousUploads: { name: 'anonymous-uploads', points: 30, seconds: 60 },
  /** Requests that send bytes of files with a signed URL, by IP address. */
  fileUploads: { name: 'file-uploads', points: 1_200, seconds: 60 },
  /** Requests that read bytes of files with a signed URL, by IP address. */
  fileReads: { name: 'file-reads', points: 1_200, seconds: 60 },
  /** Requests whose credential is not valid, by IP address. */
  failedCredentials: { name: 'failed-credentials', points: 60, seconds: 60 },
  /** Other API requests without credentials, by IP address. */
  withoutCredentials: { name: 'without-credentials', points: 600, seconds: 60 },
  /** Introspections whose result is not in memory, by IP address: each takes CPU time and memory. */
  introspections: { name: 'introspections', points: 30, seconds: 60 },
  /** Requests of unknown paths, and with methods that a path does not have, by IP address. */
  unroutedRequests: { name: 'unrouted-requests', points: 600, seconds: 60 },
  /** Visits of hosted pages, by IP address. */
  hostedPage: { name: 'hosted-page', points: 120, seconds: 60 },
  /** Reads of logos and of the settings of widgets, by IP address. */
  branding: { name: 'branding', points: 600, seconds: 60 },
  /** Public reads of triggers, by IP address: trigger IDs are short, so this prevents guessing. */
  triggerRead: { name: 'trigger-read', points: 60, seconds: 60 },
  /** Public reads of invitations, by IP address. */
  invitationRead: { name: 'invitation-read', points: 60, seconds: 60 },
  /** Checks and publications of documents, by environment: compiling a text costs CPU time. */
  documentChecks: { name: 'document-checks', points: 120, seconds: 60 },
  /** Requests of apps to the authorization server, by IP address. */
  appRequests: { name: 'app-requests', points: 120, seconds: 60 },
  /** Documents of apps that are read because of requests of an IP address. */
  appDocuments: { name: 'app-documents', points: 20, seconds: 60 },
  /** Registrations of apps, by IP address: each is stored. */
  appRegistrations: { name: 'app-registrations', points: 30, seconds: 3_600 },
  /** Sign-in attempts, by account and by IP address. */
  signInByAccount: { name: 'sign-in-account', points: 10, seconds: 60 },
  signInByAddress: { name: 'sign-in-address', points: 10, seconds: 60 },
  /** Attempts to prove a second factor, by account. */
  secondFactorByAccount: { name: 'second-factor-account', points: 10, seconds: 900 },
  /** Requests of a link for a new password, by account and by IP address. */
  resetByAccount: { name: 'reset-account', points: 3, seconds: 900 },
  resetByAddress: { name: 'reset-address', points: 10, seconds: 900 },
  /** Invitations of one address to one workspace. */
  invitationsToAddress: { name: 'invitations-to-address', points: 5, seconds: 3_600 },
  /** Invitations that one member sends. */
  invitationsByMember: { name: 'invitations-by-member', points: 50, seconds: 3_600 },
  /** Invitations to one workspace. */
  invitationsToWorkspace: { name: 'invitations-to-workspace', points: 200, seconds: 86_400 },
  /** Mails with an invitation to one address, from all workspaces. Further ones are not sent. */
  invitationMails: { name: 'invitation-mails', points: 5, seconds: 86_400 },
  /** Notices of one kind to one member. Further ones are not sent. */
  notices: { name: 'notices', points: 10, seconds: 3_600 },
} as const satisfies Record<string, RateLimit>;

/** The names of configurable limits. They apply only if configured. */
const CONFIGURED_LIMITS = {
  key: 'api-key',
  environment: 'environment',
  deploymentTurns: 'deployment-turns',
  deploymentAnonymous: 'deployment-anonymous',
  conversationTurns: 'anonymous-turns',
} as const;

/** A limit of the turns of one visitor. */
export function visitorLimit(per: 'hour' | 'day', points: number): RateLimit {
  return { name: `visitor-turns-${per}`, points, seconds: per === 'hour' ? 3_600 : 86_400 };
}

/** A limit from the configuration of a key, an environment or a deployment. */
export function configuredLimit(kind: keyof typeof CONFIGURED_LIMITS, perMinute: number): RateLimit {
  return { name: CONFIGURED_LIMITS[kind], points: perMinute, seconds: 60 };
}

/**
 * The rate limit key of an IP address. An IPv6 client controls the 2^64 addresses of its /64 network, so they share one
 * key.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString();
}

/** The rate limit key of an end user. Their ID can be long, so it is hashed. */
export function endUserKey({ environment, endUser }: EndUserCaller): string {
  return hashToken(`${environment.id} ${endUser}`);
}

/** A limit, and its state after a request. */
export interface LimitNotice {
  readonly limit: RateLimit;
  readonly result: RateLimitResult;
}

/**
 * Counts a request. Calls `notify` with the result, even if the request is rejected.
 * @throws {ServiceError} rate_limited
 */
export async function countRequest(
  limiter: RateLimiter,
  limit: RateLimit,
  key: string,
  notify: (notice: LimitNotice) => void,
): Promise<void> {
  const result = await limiter.consume(limit, key);
  notify({ limit, result });
  if (result.allowed) return;
  const wait = `Try again in ${result.resetSeconds} s.`;
  throw new ServiceError('rate_limited', `The limit is ${limit.points} requests in ${limit.seconds} s. ${wait}`, {
    retryAfterMs: result.resetSeconds * 1_000,
  });
}
