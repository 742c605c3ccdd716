import { hash } from 'node:crypto';
import { parseEntityTags } from '../../contract/entity-tags.ts';
import { ServiceError } from '../../contract/errors.ts';

/** What makes a version of a resource: no two changes of one resource share an `updatedAt`. */
interface Version {
  readonly id: string;
  readonly updatedAt: Date;
}

/** The strong entity tag of a resource as it is, in its quotes: another one after every change (RFC 9110). */
export function etagOf({ id, updatedAt }: Version): string {
  return `"${hash('sha256', `${id} ${updatedAt.getTime()}`, 'base64url').slice(0, 22)}"`;
}

/**
 * Holds a caller to what it has seen: `*`, or a list of entity tags one of which is the resource's own. A weak tag is
 * never equal to it.
 * @throws {ServiceError} precondition_failed; invalid_request where it is none of these
 */
export function requireMatch(ifMatch: string | null | undefined, version: Version): void {
  if (ifMatch == null) return;
  const tags = parseEntityTags(ifMatch);
  if (tags === undefined) {
    throw new ServiceError('invalid_request', '{param} must be * or a list of entity tags in their quotes.', {
      param: ['ifMatch'],
    });
  }
  if (tags === '*' || tags.includes(etagOf(version))) return;
  throw new ServiceError('precondition_failed', 'The resource was changed meanwhile. Read it again.', {
    param: ['ifMatch'],
  });
}
