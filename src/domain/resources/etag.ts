import { hash } from 'node:crypto';
import { parseEntityTags } from '../../contract/entity-tags.ts';
import { ServiceError } from '../../contract/errors.ts';

/** Identifies a version of a resource. No two changes of one resource have the same `updatedAt`. */
interface Version {
  readonly id: string;
  readonly updatedAt: Date;
}

/** The strong entity tag of a resource, in quotes. Every change of the resource changes it (RFC 9110). */
export function etagOf({ id, updatedAt }: Version): string {
  return `"${hash('sha256', `${id} ${updatedAt.getTime()}`, 'base64url').slice(0, 22)}"`;
}

/**
 * Checks an If-Match value: `*`, or a list of entity tags that must contain the tag of the resource. A weak tag never
 * matches.
 * @throws {ServiceError} precondition_failed; invalid_request if the value is neither of both
 */
export function requireMatch(ifMatch: string | null | undefined, resource: Version): void {
  if (ifMatch == null) return;
  const tags = parseEntityTags(ifMatch);
  if (tags === undefined) {
    throw new ServiceError('invalid_request', '{param} must be * or a list of quoted entity tags.', {
      param: ['ifMatch'],
    });
  }
  if (tags === '*' || tags.includes(etagOf(resource))) return;
  throw new ServiceError('precondition_failed', 'The resource changed after you read it. Read it again.', {
    param: ['ifMatch'],
    current: { type: 'Resource', value: resource },
  });
}
