import type { Request } from 'express';
import { readBody } from '../../http/body/body.ts';
import { exchangeOf } from '../../http/exchange.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Pipeline } from '../../operation/pipeline.ts';

/** The caller of a request whose body is read, or the error that rejects the request. */
export interface Opening {
  readonly opened?: OpenRequest;
  readonly rejection?: unknown;
}

/** Returns an error instead of throwing it, because Yoga writes it in the media type that the client accepts. */
export async function open(pipeline: Pipeline, request: Request): Promise<Opening> {
  try {
    const opened = await pipeline.open(exchangeOf(request));
    await readBody(request, opened);
    return { opened };
  } catch (rejection) {
    return { rejection };
  }
}
