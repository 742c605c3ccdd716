import type { Client } from '../support/client.ts';
import type { Made, Sample } from './samples.ts';

const RESOURCE = { type: 'contact', fields: { name: 'Ada', tags: ['a', { deep: null }] } };
const NOBODY = '/v1/resources/res_00000000000000000000000000';
const STALE = { 'if-match': '"stale"' };

export const RESOURCE_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  CreateResource: ({ weakKey }) => {
    const path = '/v1/resources';
    return [
      { status: 201, path, body: RESOURCE },
      { status: 400, path, body: { type: 'Contact', fields: {} } },
      { status: 401, path, body: RESOURCE, key: null },
      { status: 403, path, body: RESOURCE, key: weakKey },
      { status: 413, path, raw: JSON.stringify({ type: 'a', fields: { a: 'x'.repeat(10 * 1024 * 1024) } }) },
      { status: 415, path, raw: 'type=a', headers: { 'content-type': 'text/plain' } },
    ];
  },
  ListResources: ({ weakKey }) => [
    { status: 200, path: '/v1/resources?limit=1&type=contact' },
    { status: 200, path: '/v1/resources?type=nothing' },
    { status: 400, path: '/v1/resources?limit=0' },
    { status: 401, path: '/v1/resources', key: null },
    { status: 403, path: '/v1/resources', key: weakKey },
  ],
  ReadResource: ({ resources, weakKey }) => {
    const path = `/v1/resources/${resources.kept}`;
    return [
      { status: 200, path },
      { status: 304, path, headers: { 'if-none-match': '*' } },
      { status: 401, path, key: null },
      { status: 403, path, key: weakKey },
      { status: 404, path: NOBODY },
    ];
  },
  UpdateResource: ({ resources, weakKey }) => {
    const path = `/v1/resources/${resources.kept}`;
    const body = { fields: { name: null } };
    return [
      { status: 200, path, body },
      { status: 200, path, body, headers: { 'if-match': '*' } },
      { status: 400, path, body: { fields: [] } },
      { status: 401, path, body, key: null },
      { status: 403, path, body, key: weakKey },
      { status: 404, path: NOBODY, body },
      { status: 412, path, body, headers: STALE },
      { status: 415, path, raw: 'fields', headers: { 'content-type': 'text/plain' } },
    ];
  },
  DeleteResource: ({ resources, weakKey }) => {
    const path = `/v1/resources/${resources.deleted}`;
    return [
      { status: 400, path, headers: { 'if-match': 'stale' } },
      { status: 401, path, key: null },
      { status: 403, path, key: weakKey },
      { status: 412, path, headers: STALE },
      { status: 204, path },
      { status: 404, path },
    ];
  },
  ListEvents: ({ resources, weakKey }) => [
    { status: 200, path: `/v1/events?resourceId=${resources.kept}&type=resource.created&type=resource.updated` },
    { status: 200, path: '/v1/events?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&limit=1' },
    { status: 400, path: '/v1/events?type=resource.lost' },
    { status: 401, path: '/v1/events', key: null },
    { status: 403, path: '/v1/events', key: weakKey },
  ],
  ReadEvent: ({ resources, weakKey }) => {
    const path = `/v1/events/${resources.eventId}`;
    return [
      { status: 200, path },
      { status: 401, path, key: null },
      { status: 403, path, key: weakKey },
      { status: 404, path: '/v1/events/evt_00000000000000000000000000' },
    ];
  },
};

/** The resources of the samples. The log has every event of them. */
export async function prepareResources(send: Client['send']): Promise<Made['resources']> {
  const create = async () => (await send('POST', '/v1/resources', { body: RESOURCE })).body.data.id as string;
  const [kept, deleted] = [await create(), await create()];
  await send('PATCH', `/v1/resources/${kept}`, { body: { fields: { name: 'Grace', more: 1 } } });
  await send('DELETE', `/v1/resources/${await create()}`);
  const { body } = await send('GET', '/v1/events');
  return { kept, deleted, eventId: body.data[0].id };
}
