import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendOptions } from '../support/client.ts';
import { expectError, expectGraphqlError, expectRejection } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { textPart, turnWith } from '../support/turn-operations.ts';

let service: TestService;
let readOnly: string;
beforeAll(async () => {
  service = await startService();
  readOnly = await makeKey(service, { scopes: ['conversations:read'] });
});
afterAll(() => service.close());

const MISSING = { required_scope: 'conversations:write' };
const UNKNOWN = '00000000-0000-4000-8000-0000000000ff';
const turnPath = (version: 'v1' | 'v2', deployment: string) => `/${version}/runner/${deployment}/conversation`;
const CHAT = turnPath('v1', DEMO_CHAT_ID);
const TURNS = [CHAT, turnPath('v2', DEMO_AGENT_ID)];
const historyPath = (deployment: string, id: string) => `${turnPath('v2', deployment)}/${id}/history`;

const MIB = 1024 * 1024;

/** The largest body of a runner path. */
const RUNNER_BYTES = 12 * MIB;

const turnWithPad = (pad: string) => turnWith({ pad });

/** Paths that accept a body, with a valid body each. The service ignores `pad`. */
const BODY_PATHS = [
  ...TURNS.map((path) => ({ path, mib: 12, bodyWith: turnWithPad })),
  { path: '/graphql', mib: 10, bodyWith: (pad: string) => ({ query: '{ __typename }', extensions: { pad } }) },
];

const TURN = JSON.stringify(turnWith({}));

/** A body of this many bytes. */
function sized(bytes: number, bodyWith: (pad: string) => object): string {
  return JSON.stringify(bodyWith('x'.repeat(bytes - JSON.stringify(bodyWith('')).length)));
}

describe('bodies are UTF-8 JSON objects', () => {
  const post = (path: string, options: SendOptions) => service.send('POST', path, options);

  for (const { path, mib, bodyWith } of BODY_PATHS) {
    const validBody = JSON.stringify(bodyWith(''));

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])(`${path} accepts %s`, async (type) => {
      expect((await post(path, { raw: validBody, headers: { 'content-type': type } })).status).toBe(200);
    });

    it.each([
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/vnd.api+json',
      'application/graphql',
      'json',
      'application/json, text/plain',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json; charset=utf-7',
    ])(`${path} rejects the content type %s`, async (type) => {
      const headers = { 'content-type': type };
      expectRejection(path, await post(path, { raw: validBody, headers }), 'unsupported_media_type', { param: null });
    });

    it.each(['{', '{"a": 1,}', "{'a': 1}", '{"a": NaN}', 'undefined', '{} {}', '{"a": "\n"}', '\u0000', '//x\n{}'])(
      `${path} rejects %j as invalid JSON`,
      async (raw) => {
        expectRejection(path, await post(path, { raw }), 'invalid_json', { param: null });
      },
    );

    it(`${path} rejects bytes that are not UTF-8`, async () => {
      const raw = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')]);
      expectRejection(path, await post(path, { raw }), 'invalid_json', { param: null });
    });

    it.each(['null', '5', 'true', '"text"', '[]', '[{}]', `[${TURN}]`])(`${path} rejects the JSON %s`, async (raw) => {
      expectRejection(path, await post(path, { raw }), 'invalid_request', {
        param: null,
        message: 'must be a JSON object',
      });
    });

    it(`${path} accepts ${mib} MiB and rejects one byte more`, async () => {
      expect((await post(path, { raw: sized(mib * MIB, bodyWith) })).status).toBe(200);
      expectRejection(path, await post(path, { raw: sized(mib * MIB + 1, bodyWith) }), 'payload_too_large', {
        param: null,
      });
    });
  }

  it('measures a compressed body after decompression', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await post(CHAT, { raw: gzipSync(TURN), headers })).status).toBe(200);
    expectError(
      await post(CHAT, { raw: gzipSync(sized(RUNNER_BYTES + 1, turnWithPad)), headers }),
      'payload_too_large',
    );
  });

  it('treats a missing body as an empty object', async () => {
    expectError(await post(CHAT, {}), 'invalid_request', { param: 'content', message: 'content is required' });
  });
});

describe('the first fault in this order determines the error', () => {
  it.each([...TURNS, '/graphql', '/mcp'])(
    'checks an invalid key before the size and the JSON of a body: %s',
    async (path) => {
      const key = `sk_live_${'0'.repeat(43)}`;
      const raw = `{"content":"${'x'.repeat(RUNNER_BYTES)}"}`;
      const headers = { 'content-type': 'text/plain' };
      for (const options of [{ raw }, { raw: '{' }, { raw: '{}', headers }]) {
        const response = await service.send('POST', path, { key, ...options });
        expect(response.status).toBe(401);
      }
    },
  );

  it.each([...TURNS, '/v1/resources'])(
    'checks the size and the JSON of a body before it requires credentials: %s',
    async (path) => {
      const raw = `{"content":"${'x'.repeat(RUNNER_BYTES)}"}`;
      expectError(await service.send('POST', path, { key: null, raw }), 'payload_too_large');
      expectError(await service.send('POST', path, { key: null, raw: '{' }), 'invalid_json');
      const headers = { 'content-type': 'text/plain' };
      expectError(await service.send('POST', path, { key: null, raw: '{}', headers }), 'unsupported_media_type');
    },
  );

  it.each(['v1', 'v2'] as const)('checks credentials before the IDs in a path and the body: %s', async (version) => {
    for (const deployment of ['not-a-uuid', UNKNOWN]) {
      const path = turnPath(version, deployment);
      expectError(await service.send('POST', path, { key: null, body: {} }), 'unauthorized');
      expectError(await service.send('POST', path, { key: readOnly, body: {} }), 'forbidden', { facts: MISSING });
    }
  });

  it('checks credentials before the variables of a GraphQL operation', async () => {
    const document =
      'mutation ($id: ID!) { sendMessage(input: { deploymentId: $id }) { __typename ... on SendMessagePayload { turn { name } } ... on Error { code message path } } }';
    expectGraphqlError(await service.graphql(document, { id: 5 }, { key: null }), 'unauthorized');
    expectGraphqlError(await service.graphql(document, { id: 5 }, { key: readOnly }), 'forbidden', { facts: MISSING });
    expectGraphqlError(await service.graphql(document, { id: 5 }), 'invalid_request', { param: 'deploymentId' });
  });

  it('checks credentials before the IDs and the query of a read', async () => {
    for (const path of [historyPath('x', 'y'), historyPath(UNKNOWN, UNKNOWN), '/v1/runner/conversation/x/messages']) {
      expectError(await service.send('GET', `${path}?limit=0&page=0`, { key: null }), 'unauthorized');
    }
  });

  it.each(['v1', 'v2'] as const)('checks the IDs in a path before the body: %s', async (version) => {
    for (const body of [{}, { content: 5 }, { content: [] }, turnWith({ history_limit: 101 })]) {
      const missing = await service.send('POST', turnPath(version, UNKNOWN), { body });
      expectError(missing, 'not_found', { param: 'deployment_id' });
      const malformed = await service.send('POST', turnPath(version, 'x'), { body });
      expectError(malformed, 'invalid_request', { param: 'deployment_id', message: 'deployment_id must be a UUID' });
    }
    expectError(await service.send('POST', turnPath(version, UNKNOWN), { raw: '[]' }), 'not_found');
  });

  it('checks the IDs in a path before the query', async () => {
    const reads = [
      [historyPath(DEMO_AGENT_ID, UNKNOWN), 'limit'],
      [`/v1/runner/conversation/${UNKNOWN}/messages`, 'page'],
    ] as const;
    for (const [path, parameter] of reads) {
      for (const value of ['0', 'abc', '1.5']) {
        expectError(await service.send('GET', `${path}?${parameter}=${value}`), 'not_found');
      }
      expectError(await service.send('GET', `${path}?${parameter}=1&${parameter}=1`), 'not_found');
    }
  });

  it.each(TURNS)('checks the body before the conversation that it names: %s', async (path) => {
    const body = { conversation_id: UNKNOWN, content: [textPart(' ')] };
    expectError(await service.send('POST', path, { body }), 'invalid_request', { param: 'content[0].text' });
    const validBody = await service.send('POST', path, { body: turnWith({ conversation_id: UNKNOWN }) });
    expectError(validBody, 'not_found', { param: 'conversation_id' });
  });
});

describe('unexpected error', () => {
  it('returns a fixed message and logs the cause with the request ID', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const { prisma } = service.service.services.stores;
    // Rows that the service would never write.
    await prisma.conversation.updateMany({ where: { id }, data: { meta: 'a secret' } });
    await prisma.timelineItem.updateMany({ where: { conversationId: id }, data: { content: [{ type: 'text' }] } });
    const headers = { 'x-request-id': 'the-one-that-fails' };
    const message = /^An internal error occurred/;

    const read = await service.send('GET', `/v1/runner/conversation/${id}/messages`, { headers });
    expectError(read, 'internal_error', { param: null, message });
    const query = 'query ($id: ID!) { conversation(id: $id) { meta } }';
    const requests = await service.graphql(query, { id }, { headers });
    expectGraphqlError(requests, 'internal_error', { param: null, message });

    expect(JSON.stringify([read.body, requests.body])).not.toMatch(/secret|stack|TextPart|node_modules/);
    const faults = service.logLines.filter((line) => /the-one-that-fails.*unexpected error/.test(line));
    // Both messages of the first read are invalid.
    expect(faults).toHaveLength(3);
  });
});
