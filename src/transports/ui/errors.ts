import type { ErrorRequestHandler, Response } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import { acceptedTypes } from '../../http/accepted-types.ts';
import { type WireError, wireError } from '../../operation/errors.ts';
import { headersOfError } from '../../operation/mask.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { sendError } from '../../rest/reply.ts';

const JSON_TYPE = 'application/json';

/** Every path of the UI message stream. */
const UI_PATH = /^\/v1\/runner\/[^/]+\/ui(\/|$)/;

const NEW_CHAT = 'Give each chat its own: useChat({ id: crypto.randomUUID() }).';

/**
 * Responds with the sentence of an error. The AI SDK makes the whole body the message of its `Error`, which pages show to
 * people. A client that names JSON in `Accept` gets the error of the REST API.
 */
export async function sendUiError(response: Response, error: WireError, requestId: string): Promise<void> {
  const described = { ...error, message: messageOf(error) };
  if (acceptedTypes(response.req).includes(JSON_TYPE)) return sendError(response, described, requestId);
  const { status } = error;
  response.status(status).set(headersOfError(error)).type('text/plain');
  response.end(status < 500 ? described.message : `${described.message} Request ID: ${requestId}`);
}

/** `useChat` without an ID makes up one that is no UUID. */
function messageOf({ code, param, message }: WireError): string {
  return code === 'invalid_request' && param === 'id' ? `${message} ${NEW_CHAT}` : message;
}

/** Reports errors that come before the handlers of the paths, such as that of a wrong method. */
export function reportUiErrors({ log }: Pick<Pipeline['services']['process'], 'log'>): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    const isOurs = error instanceof ServiceError && UI_PATH.test(request.path) && !response.headersSent;
    if (!isOurs) return next(error);
    const requestId = String(request.id);
    await sendUiError(response, wireError(error, { log, requestId }), requestId);
  };
}
