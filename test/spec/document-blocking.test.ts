import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { publish } from '../support/documents.ts';
import { leastBlockMs, MOST_BLOCK_MS } from '../support/event-loop.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace } from '../support/tenants.ts';

/** Every measurement has documents of its own. One document less than their types allow. */
const SELECTED = 39;

const listOf = (count: number, part: (index: number) => string) => Array.from({ length: count }, (_, i) => part(i));

const MESSAGE = 'content { ... on TextPart { text } ... on FilePart { mimeType } }';

/** Documents that are as large as the limits allow: in fields of the result, in variables, and in types of an object. */
const LARGE: Readonly<Record<string, string>> = {
  fields: `{ ${listOf(99, (i) => `a${i}: resources { nodes { id resourceId type fields createdAt updatedAt etag } }`).join(' ')} }`,
  variables: `query (${listOf(50, (i) => `$v${i}: ConversationFilter`).join(' ')}) { ${listOf(
    50,
    (i) =>
      `a${i}: conversations(filter: $v${i}) { totalCount nodes { name status endUser messageCount createdAt updatedAt } }`,
  ).join(' ')} }`,
  types: `query ($first: Int) { ${listOf(
    14,
    (i) =>
      `a${i}: conversations(first: $first) { nodes { name history(first: $first) { nodes { __typename id ... on Message { role ${MESSAGE} } } } } }`,
  ).join(' ')} }`,
};

let service: TestService;
const keys = new Map<string, string>();
beforeAll(async () => {
  service = await startService();
  for (const [shape, text] of Object.entries(LARGE)) keys.set(shape, await fillEnvironment(text));
});
afterAll(() => service.close());

/** An environment with as many documents as the limit allows. Returns a key. */
async function fillEnvironment(text: string): Promise<string> {
  const { environments, keys: made } = await makeWorkspace(service);
  const { live: environmentId } = environments;
  const { prisma } = service.service.services.stores;
  const { check } = await publish(service, 'document_first', text, { key: made.live });
  const at = new Date();
  const names = listOf(LIMITS.documents - 1, nameOf);
  await prisma.document.createMany({
    data: names.map((name) => ({
      ...{ id: `doc_${name}_${environmentId}`, environmentId, name, kind: 'query' as const, version: 1 },
      ...{ createdAt: at, updatedAt: at },
    })),
  });
  await prisma.documentVersion.createMany({
    data: names.map((name) => ({
      ...{ documentId: `doc_${name}_${environmentId}`, number: 1, environmentId, text, trustedId: check.trustedId },
      ...{ authorKind: 'api_key', createdAt: at },
    })),
  });
  return made.live;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const nameOf = (index: number) => `document_${LETTERS[Math.floor(index / 26)]}${LETTERS[index % 26]}`;

/** Sends a request, and does nothing with the response: reading it would block the event loop too. */
async function drain(key: string, path: string, message?: object): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(message && { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }),
  };
  const sent = request(`${service.url}${path}`, { headers, method: message ? 'POST' : 'GET' });
  sent.end(message && JSON.stringify(message));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}

const selection = (measurement: number) =>
  listOf(SELECTED, (index) => `name=${nameOf(measurement * SELECTED + index)}`).join('&');

const FILES = ['openapi.json', 'documents.d.ts', 'documents.zod.ts'] as const;

/** A measurement compiles up to 200 documents while other tests run. */
const TIMEOUT = { timeout: 300_000 };

describe.each(Object.keys(LARGE))('as many documents as the limits allow, large in their %s', TIMEOUT, (shape) => {
  const get = (path: string) => drain(keys.get(shape) ?? '', path);

  it.each(FILES)('keep the event loop for less than 50 ms in %s', async (file) => {
    const least = leastBlockMs(async (measurement) => {
      expect(await get(`/v1/x/${file}?${selection(measurement)}`)).toBe(200);
    });
    expect(await least).toBeLessThan(MOST_BLOCK_MS);
  });

  // Compiling all of them takes seconds for each file, so each shape has another one.
  const whole = FILES[Object.keys(LARGE).indexOf(shape)] ?? FILES[0];
  it(`keep the event loop for less than 50 ms all together, in ${whole}`, async () => {
    // They can be too long for the file.
    expect(await leastBlockMs(async () => expect([200, 400]).toContain(await get(`/v1/x/${whole}`)))).toBeLessThan(
      MOST_BLOCK_MS,
    );
  });

  it('keep the event loop for less than 50 ms in a list of tools', async () => {
    const cursor = (measurement: number) => (measurement === 0 ? {} : { cursor: nameOf(measurement * SELECTED) });
    const list = (measurement: number) =>
      drain(keys.get(shape) ?? '', '/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: cursor(measurement),
      });
    expect(await leastBlockMs(async (measurement) => expect(await list(measurement)).toBe(200))).toBeLessThan(
      MOST_BLOCK_MS,
    );
  });

  it('keep the event loop for less than 50 ms in a check', async () => {
    const query =
      'query ($text: String!) { documentCheck(name: "document_first", text: $text) { maxCost breakingChanges } }';
    const body = { query, variables: { text: `${LARGE[shape]} # changed` } };
    const check = () => drain(keys.get(shape) ?? '', '/graphql', body);
    expect(await leastBlockMs(async () => expect(await check()).toBe(200))).toBeLessThan(MOST_BLOCK_MS);
  });
});
