import { ServiceError } from '../contract/errors.ts';
import { ambiguousJwt } from '../domain/access/end-users/jwt-caller.ts';
import { RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { requireScope } from '../domain/access/scopes.ts';
import { unauthorized } from '../domain/access/unauthorized.ts';
import type { Caller } from '../domain/caller.ts';
import { authorProblem } from '../domain/documents/author.ts';
import type { DocumentContract, DocumentProblem, VersionText } from '../domain/documents/compiler-port.ts';
import { currentVersion, currentVersions, trustedVersions } from '../domain/documents/reads.ts';
import type { OpenRequest } from './operation-request.ts';
import type { Outcome } from './outcome.ts';

/** What identifies the environment whose documents are looked up: a request with a credential. */
type Opened = Pick<OpenRequest, 'services' | 'identity'>;

/** The environment of the caller. Callers without credentials have no documents. */
function sourceOf({ services, identity: { caller } }: Opened) {
  if (!caller || caller.kind === 'anonymous') return undefined;
  const { environment } = caller;
  return { environment, sql: services.stores.sql.within(environment) };
}

/** The current version of the caller's document with this name. */
export async function findPublished(opened: Opened, name: string): Promise<VersionText | undefined> {
  const source = sourceOf(opened);
  return source && currentVersion(source, name);
}

/**
 * The versions of the caller's documents with this trusted ID.
 * @throws {ServiceError} invalid_request if the workspace of a JWT depends on the document
 */
export async function findTrusted(opened: Opened, trustedId: string): Promise<VersionText[]> {
  if (opened.identity.unbound) throw ambiguousJwt();
  const source = sourceOf(opened);
  return source ? trustedVersions(source, trustedId) : [];
}

/** The current versions of all documents of the caller. */
export async function listPublished(opened: Opened): Promise<VersionText[]> {
  const source = sourceOf(opened);
  return source ? currentVersions(source) : [];
}

/** The caller with credentials. @throws {ServiceError} unauthorized, also for visitors and callers without credentials */
export function requireCaller({ identity: { caller } }: Pick<OpenRequest, 'identity'>): Caller {
  if (!caller) throw unauthorized();
  return caller;
}

/** @throws {ServiceError} unauthorized or forbidden */
export function requireDocumentsRead(opened: Pick<OpenRequest, 'identity'>): void {
  requireScope(requireCaller(opened), 'documents:read');
}

/** Counts a text that is compiled for the caller, as a check of a document. @throws {ServiceError} unauthorized or rate_limited */
export function countDocumentCheck(opened: Pick<OpenRequest, 'identity' | 'counter'>): Promise<void> {
  return opened.counter.count(RATE_LIMITS.documentChecks, requireCaller(opened).environment.id);
}

/** The error of a call of a document that this release does not accept. */
export function cannotRun(
  { name }: VersionText,
  [{ message }]: readonly [DocumentProblem, ...unknown[]],
): ServiceError {
  return new ServiceError('not_found', `The document ${name} cannot run: ${message} Publish a new version.`);
}

/** Whether the author of a version may call it now. */
export async function isAuthorized(
  version: VersionText,
  { requirements }: Pick<DocumentContract, 'requirements'>,
): Promise<boolean> {
  return authorProblem(await version.author(), requirements) === undefined;
}

/**
 * A document acts with the permissions of its caller, so it needs those of its author too: now, not when it was published.
 * Of several documents with the same text, returns the first that can run.
 * @throws {ServiceError} forbidden
 */
export async function requireAuthorized(
  [version, ...others]: readonly [VersionText, ...VersionText[]],
  { requirements }: Pick<DocumentContract, 'requirements'>,
): Promise<VersionText> {
  const problem = authorProblem(await version.author(), requirements);
  if (problem === undefined) return version;
  const [other, ...rest] = others;
  if (other) return requireAuthorized([other, ...rest], { requirements });
  throw new ServiceError('forbidden', `The document ${version.name} cannot run. ${problem}`);
}

/** Runs a call of a document, and counts it, even if it fails. Without a document it only runs the call. */
export async function countedRun(
  opened: Opened,
  documentId: string | undefined,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const environmentId = sourceOf(opened)?.environment.id;
  if (documentId === undefined || environmentId === undefined) return run();
  const { services } = opened;
  const startedMs = services.process.monotonicMs();
  let outcome: Outcome | undefined;
  try {
    outcome = await run();
    return outcome;
  } finally {
    const isError = outcome?.kind !== 'result' || outcome.result.errors !== undefined;
    services.stores.documentCalls.record({
      environmentId,
      documentId,
      isError,
      durationMs: services.process.monotonicMs() - startedMs,
    });
  }
}
