import type { Request } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import { acceptedTypes } from '../../http/accepted-types.ts';
import { MULTIPART } from './multipart.ts';
import { SENT_EVENTS } from './sent-events.ts';
import type { StreamFormat } from './stream-format.ts';

/** Multipart responses exist for several protocols. The parameter names the one for subscriptions. */
const SUBSCRIPTION_SPEC = /^multipart\/mixed\b.*;\s*subscriptionspec\s*=\s*"?1\.0"?\s*(;|$)/i;

/** The stream format that the client prefers, or undefined if it accepts only JSON. */
export function streamFormatOf(request: Request): StreamFormat | undefined {
  const ranges = (request.get('accept') ?? '').split(',').map((range) => range.trim());
  const formats = ranges.some((range) => SUBSCRIPTION_SPEC.test(range)) ? [SENT_EVENTS, MULTIPART] : [SENT_EVENTS];
  return acceptedTypes(request).flatMap((type) => formats.find(({ mediaType }) => mediaType === type) ?? [])[0];
}

/** Rejects clients that accept only JSON: they would wait for the end of the stream. @throws {ServiceError} not_acceptable */
export function requireStreamFormat(request: Request): StreamFormat {
  const format = streamFormatOf(request);
  if (format) return format;
  const message = 'A subscription needs an event stream. Send the header `Accept: text/event-stream`.';
  throw new ServiceError('not_acceptable', message);
}
