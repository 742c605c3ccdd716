import type { Request } from 'express';

/**
 * The media types that the header `Accept` names, in lower case, the preferred ones first. Express omits those with a
 * weight of 0.
 */
export function acceptedTypes(request: Request): string[] {
  return request.accepts().map((type) => type.toLowerCase());
}
