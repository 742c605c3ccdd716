import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { announcedLength } from './announced.ts';
import type { BodyBuffer } from './body-buffer.ts';
import type { BodyPlace } from './body-place.ts';

/** Asks a client that waits with its body to send it. Called when nothing but the body can refuse the request. */
export function requestBody({ headers, res }: IncomingMessage & { readonly res?: ServerResponse | undefined }): void {
  if (headers.expect?.toLowerCase() === '100-continue') res?.writeContinue();
}

/**
 * Receives the bytes of a body. It ends with the first byte too much, and closes the connection of a client that is too slow.
 * The rest of a large body waits for its place.
 * @throws {ServiceError} payload_too_large, before anything is read if the client names the length; rate_limited;
 * unavailable; invalid_request
 */
export function receive(request: Request, buffer: BodyBuffer, place: BodyPlace | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    buffer.expect(announcedLength(request));
    if (request.destroyed) return reject(incomplete());
    let pieces = 0;
    const deadline = setTimeout(() => request.destroy(), LIMITS.bodySeconds * 1_000);
    let isOver = false;
    const stop = () => {
      isOver = true;
      clearTimeout(deadline);
      request.off('data', add).off('end', end).off('close', abort).off('error', abort);
    };
    const fail = (error: unknown) => {
      stop();
      request.pause();
      reject(error);
    };
    const add = (piece: Buffer) => {
      try {
        pieces += 1;
        if (pieces > LIMITS.bodyPieces) throw tooManyPieces();
        buffer.add(piece);
        if (place?.needs(buffer.size)) waitForPlace(place);
      } catch (error) {
        fail(error);
      }
    };
    const waitForPlace = (awaited: BodyPlace) => {
      request.pause();
      awaited.wait().then(() => isOver || request.resume(), fail);
    };
    const end = () => {
      stop();
      resolve();
    };
    const abort = () => fail(incomplete());
    request.on('data', add).on('end', end).on('close', abort).on('error', abort);
    requestBody(request);
  });
}

function incomplete(): ServiceError {
  return new ServiceError('invalid_request', 'The body is shorter than its Content-Length.');
}

function tooManyPieces(): ServiceError {
  const message = `The body arrives in more than ${formatCount(LIMITS.bodyPieces)} pieces. Send larger chunks.`;
  return new ServiceError('invalid_request', message);
}
