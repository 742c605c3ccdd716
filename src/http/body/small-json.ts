import type { Request } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { exchangeOf } from '../exchange.ts';
import { announcesBody } from './announced.ts';
import { requireJson } from './body.ts';
import { BodyBuffer } from './body-buffer.ts';
import { codingOfBody } from './inflate.ts';
import { parseBody } from './parse.ts';
import { receive } from './receive.ts';
import { unfinishedBodies } from './unfinished-bodies.ts';

/**
 * Reads a JSON body with a limit of its own, for a path without credentials. A body that is refused is not read. Without a
 * body, the value is undefined.
 * @throws {ServiceError} unsupported_media_type, payload_too_large, invalid_json, invalid_request, rate_limited, unavailable
 */
export async function readSmallJson(request: Request, limit: number): Promise<unknown> {
  if (!announcesBody(request)) return undefined;
  requireJson(request);
  if (codingOfBody(request)) {
    throw new ServiceError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  const tooLarge = () => new ServiceError('payload_too_large', `The body exceeds ${formatBytes(limit)}.`);
  const share = unfinishedBodies.enter(exchangeOf(request).address);
  const received = new BodyBuffer(share, { limit, tooLarge });
  try {
    await receive(request, received, undefined);
    return await parseBody(received.content(), request.originalUrl);
  } finally {
    received.free();
    share.leave();
  }
}
