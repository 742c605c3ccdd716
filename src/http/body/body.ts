import type { Request } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { isStranger } from '../../operation/rate-limits.ts';
import { announcesBody } from './announced.ts';
import { BodyBuffer } from './body-buffer.ts';
import { BodyPlace } from './body-place.ts';
import { codingOfBody, inflate } from './inflate.ts';
import { parseBody } from './parse.ts';
import { receive } from './receive.ts';
import { holdWhileHandled, unfinishedBodies } from './unfinished-bodies.ts';

/**
 * Reads the JSON body of a request into `request.body`, for every transport. The caller is identified and counted before, so
 * that strangers cost nothing that grows with a body. A body that is refused is not read.
 * @throws {ServiceError} unsupported_media_type, payload_too_large, invalid_json, invalid_request, rate_limited, unavailable
 */
export async function readBody(request: Request, { identity, exchange }: OpenRequest): Promise<void> {
  if (!announcesBody(request)) return;
  requireJson(request);
  const coding = codingOfBody(request);
  const limit = limitOf(request);
  const tooLarge = () => new ServiceError('payload_too_large', `The body exceeds ${formatBytes(limit)}.`);
  const inflatedLimit = identity.caller ? limit : LIMITS.strangerInflatedBytes;
  const tooLargeInflated = () =>
    new ServiceError('payload_too_large', `The decompressed body exceeds ${formatBytes(inflatedLimit)}.`);
  // What is compressed is smaller than its content.
  const sent = coding ? { limit: inflatedLimit, tooLarge: tooLargeInflated } : { limit, tooLarge };
  const share = unfinishedBodies.enter(exchange.address);
  const received = new BodyBuffer(share, sent);
  const inflated = new BodyBuffer(share, { limit: inflatedLimit, tooLarge: tooLargeInflated });
  const place = isStranger(identity.caller) ? new BodyPlace(exchange.address) : undefined;
  try {
    await receive(request, received, place);
    if (coding) {
      if (place?.needs(inflatedLimit)) await place.wait();
      await inflate(received.content(), coding, inflated);
    }
    const { originalUrl } = request;
    request.body = await parseBody((coding ? inflated : received).content(), originalUrl);
    if (place && request.res) holdWhileHandled(request, request.res, share);
    else share.leave();
  } catch (error) {
    share.leave();
    throw error;
  } finally {
    place?.leave(received.size + inflated.size);
    received.free();
    inflated.free();
  }
}

/** Runner paths have a higher limit, because their content can contain inline data. */
const RUNNER_PATH = /^\/v[12]\/runner\//;

function limitOf({ originalUrl }: Pick<Request, 'originalUrl'>): number {
  return RUNNER_PATH.test(originalUrl) ? LIMITS.runnerBodyBytes : LIMITS.bodyBytes;
}

const JSON_TYPE = 'application/json';
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Rejects a body without a JSON content type in UTF-8. @throws {ServiceError} unsupported_media_type */
export function requireJson(request: Request): void {
  const type = request.headers['content-type'];
  if (type === JSON_TYPE) return;
  if (!request.is(JSON_TYPE)) {
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  const charset = CHARSET.exec(type ?? '')?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') {
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON in UTF-8.');
  }
}
