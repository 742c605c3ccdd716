import { ServiceError } from '../../contract/errors.ts';

const CREDENTIAL =
  'a valid API key, session token, token of an app or token of an end user, as "Authorization: Bearer <token>"; a key also as "x-api-key: <key>"';

export function unauthorized(): ServiceError {
  return new ServiceError('unauthorized', `Send ${CREDENTIAL}.`);
}

/** One message for closed, unpublished and unknown deployments, so that strangers do not learn which IDs exist. */
export function notPublic(): ServiceError {
  return new ServiceError(
    'unauthorized',
    `The deployment of this request is not public or does not exist. Publish it and turn off authRequired, or send ${CREDENTIAL}.`,
  );
}
