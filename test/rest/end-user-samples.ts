import { randomUUID } from 'node:crypto';
import { DEMO_CHAT_ID } from '../support/service.ts';
import type { Made, Sample } from './samples.ts';

const endUsers = (path: string, { weakKey }: Made): Sample[] => {
  const body = { end_user: 'nobody' };
  return [
    { status: 200, path, body },
    { status: 400, path, body: { end_user: '' } },
    { status: 401, path, body, key: null },
    { status: 403, path, body, key: weakKey },
  ];
};

/** Samples of the operations on end users. */
export const END_USER_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  CreateEndUserToken: ({ weakKey }) => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/end-user-tokens`;
    const body = { end_user: 'ada', ttl_seconds: 60, scopes: ['conversations:read'] };
    return [
      { status: 201, path, body },
      { status: 400, path, body: { ...body, ttl_seconds: 0 } },
      { status: 401, path, body, key: null },
      { status: 403, path, body, key: weakKey },
      { status: 404, path: path.replace(DEMO_CHAT_ID, randomUUID()), body },
    ];
  },
  RevokeEndUserTokens: (made) => endUsers('/v1/end-users/revoke', made),
  EraseEndUser: (made) => endUsers('/v1/end-users/erase', made),
};
