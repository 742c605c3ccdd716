import { basename } from 'node:path';
import type { Route } from './route.ts';

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** How a request is authenticated. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a session token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description:
      "The session cookie of this service's own pages. With https its name is `__Host-parley_session`. A request that changes data must have a `Sec-Fetch-Site` or `Origin` header of one of these pages.",
  },
};

const ABOUT = `A conversational agent service.

Send an API key as \`Authorization: Bearer\` or \`x-api-key\`. A key belongs to one environment. Bodies are JSON. Every
error has the schema \`Error\`: base decisions on its \`code\`. The service ignores unknown fields and query parameters.
Future versions can add fields to responses.

In every request, text has no NUL characters and no unpaired surrogates, and integers are between -(2^53 - 1) and 2^53 - 1.
Lengths are UTF-16 code units. A \`uri\` is what the URL Standard can parse, and a \`byte\` is padded base64.`;

/** The header `x-request-id` of a response. */
export const REQUEST_ID_OBJECT = {
  description: 'The ID of the request: a valid x-request-id header of the request, or an ID from the service.',
  required: true,
  schema: { type: 'string' },
};

/** The description of the API. */
export function infoOf(version: string): object {
  return {
    title: 'Parley',
    version,
    description: ABOUT,
    contact: { name: 'The operator of this service' },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  };
}

/** The file that contains the document: its name, and the first line, which is a comment. */
export function tagOf({ operation }: Route): Tag {
  const { name = '', body = '' } = operation.loc?.source ?? {};
  const [, comment = ''] = /^# (.+)$/m.exec(body) ?? [];
  return { name: basename(name, '.graphql'), description: comment };
}

/** The groups of the routes, in the order of the routes. */
export function tagsOf(routes: readonly Route[]): Tag[] {
  return [...new Map(routes.map((route) => [tagOf(route).name, tagOf(route)])).values()];
}

export const DOCUMENTS_TAG: Tag = {
  name: 'documents',
  description: 'GraphQL operations that the environment of the caller has published.',
};

export const WEBHOOKS_TAG: Tag = {
  name: 'webhooks',
  description: 'Requests that the service sends to webhook endpoints. Manage the endpoints over GraphQL.',
};
