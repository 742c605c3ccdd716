import express, { type Request, type RequestHandler, type Router } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { isTypeId } from '../contract/ids.ts';
import type { RateLimit } from '../db/rate-limiter.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import type { Services } from '../domain/context.ts';
import { isSigned, type SignedFile, type SignedUse } from '../domain/files/signed-url.ts';
import { exchangeOf } from '../http/exchange.ts';
import { rejectMethod } from '../http/unrouted.ts';
import { reportLimit } from '../operation/rate-limits.ts';
import { uuidOf } from '../operation/uuid.ts';
import { serveContent } from './serve-content.ts';
import { UploadRequests } from './upload-requests.ts';

/**
 * The bytes of files, with signed URLs: `PUT` and `HEAD /v1/uploads/ID`, `GET /v1/files/ID/content`. Their bodies have
 * limits of their own, and are read after the signature is checked.
 */
export function fileRoutes(services: Services): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const uploads = new UploadRequests(services);
  const signed = (use: SignedUse, limit: RateLimit) => requireSignature(services, use, limit);
  const toUpload = signed('upload', RATE_LIMITS.fileUploads);
  router
    .route('/v1/uploads/:file_id')
    .head(toUpload, async (request, response) => uploads.report(fileOf(request), response))
    .put(toUpload, async (request, response) => uploads.receive(fileOf(request), request, response))
    .all(rejectMethod('PUT, HEAD, OPTIONS'));
  router
    .route('/v1/files/:file_id/content')
    .get(signed('read', RATE_LIMITS.fileReads), async (request, response) =>
      serveContent(services, fileOf(request), request, response),
    )
    .all(rejectMethod('GET, HEAD, OPTIONS'));
  return router;
}

function fileOf({ params, query: { environment } }: Request): SignedFile {
  return { id: String(params.file_id), environmentId: uuidOf(environment) };
}

/** Checks the signature before anything is looked up or read. */
function requireSignature(services: Services, use: SignedUse, limit: RateLimit): RequestHandler {
  return async (request, _response, next) => {
    const exchange = exchangeOf(request);
    await countRequest(services.stores.rateLimiter, limit, addressKey(exchange.address), reportLimit(exchange));
    const { signature } = request.query;
    const { id } = fileOf(request);
    if (!isTypeId('file', id) || typeof signature !== 'string' || !isSigned(services, use, id, signature, new Date())) {
      throw new ServiceError('forbidden', 'The signature of this URL is not valid, or has expired. Get a new URL.');
    }
    next();
  };
}
