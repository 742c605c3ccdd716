import { hash } from 'node:crypto';
import type { Request } from 'express';
import { parseEntityTags } from '../contract/entity-tags.ts';

/** The entity tag of a body. Equal bodies have equal tags. */
export function tagOfBody(text: string): string {
  return `"${hash('sha256', text, 'base64url')}"`;
}

/** The value of Cache-Control for a response that a client can store, because it can revalidate it. */
export const REVALIDATED = 'private, no-cache';

/**
 * Whether the client has this version. Express's `request.fresh` is unsuitable: it is false if the request has
 * `Cache-Control: no-cache`, which `fetch` sends together with If-None-Match.
 */
export function isNotModified(request: Request, etag: string | undefined): boolean {
  const ifNoneMatch = request.get('if-none-match');
  if (etag === undefined || ifNoneMatch === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  const tags = parseEntityTags(ifNoneMatch) ?? [];
  // Compared weakly (RFC 9110).
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}
