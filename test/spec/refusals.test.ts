import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendOptions } from '../support/client.ts';
import { expectError, expectGraphqlError, expectRefusal } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { textPart, turnWith } from '../support/turn-doors.ts';

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

const TEN_MIB = 10 * 1024 * 1024;

const turnWithPad = (pad: string) => turnWith({ pad });

/** Where bodies are taken, and one that is in order there. What is in `pad` is looked at by nobody. */
const DOORS = [
  ...TURNS.map((path) => ({ path, bodyWith: turnWithPad })),
  { path: '/graphql', bodyWith: (pad: string) => ({ query: '{ __typename }', extensions: { pad } }) },
];

const TURN = JSON.stringify(turnWith({}));

/** A body of so many bytes. */
function sized(bytes: number, bodyWith: (pad: string) => object): string {
  return JSON.stringify(bodyWith('x'.repeat(bytes - JSON.stringify(bodyWith('')).length)));
}

describe('WIRE 1: bodies are UTF-8 JSON objects', () => {
  const post = (path: string, options: SendOptions) => service.send('POST', path, options);

  for (const { path, bodyWith } of DOORS) {
    const inOrder = JSON.stringify(bodyWith(''));

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])(`${path} takes %s`, async (type) => {
      expect((await post(path, { raw: inOrder, headers: { 'content-type': type } })).status).toBe(200);
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
    ])(`${path} refuses the content type %s`, async (type) => {
      const headers = { 'content-type': type };
      expectRefusal(path, await post(path, { raw: inOrder, headers }), 'unsupported_media_type', { param: null });
    });

    it.each(['{', '{"a": 1,}', "{'a': 1}", '{"a": NaN}', 'undefined', '{} {}', '{"a": "\n"}', '\u0000', '//x\n{}'])(
      `${path} refuses %j as invalid JSON`,
      async (raw) => {
        expectRefusal(path, await post(path, { raw }), 'invalid_json', { param: null });
      },
    );

    it(`${path} refuses bytes that are not UTF-8`, async () => {
      const raw = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')]);
      expectRefusal(path, await post(path, { raw }), 'invalid_json', { param: null });
    });

    it.each(['null', '5', 'true', '"text"', '[]', '[{}]', `[${TURN}]`])(`${path} refuses the JSON %s`, async (raw) => {
      expectRefusal(path, await post(path, { raw }), 'invalid_request', {
        param: null,
        message: 'must be a JSON object',
      });
    });

    it(`${path} takes 10 MiB and refuses a byte more`, async () => {
      expect((await post(path, { raw: sized(TEN_MIB, bodyWith) })).status).toBe(200);
      expectRefusal(path, await post(path, { raw: sized(TEN_MIB + 1, bodyWith) }), 'payload_too_large', {
        param: null,
      });
    });
  }

  it('counts a compressed body as it is once unpacked', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await post(CHAT, { raw: gzipSync(TURN), headers })).status).toBe(200);
    expectError(await post(CHAT, { raw: gzipSync(sized(TEN_MIB + 1, turnWithPad)), headers }), 'payload_too_large');
  });

  it('takes a request without a body as one with nothing in it', async () => {
    expectError(await post(CHAT, {}), 'invalid_request', { param: 'content', message: 'content is required' });
  });
});

describe('WIRE 3: of several faults the first in this order is told', () => {
  it.each(TURNS)('the size and the JSON of a body come before credentials: %s', async (path) => {
    const raw = `{"content":"${'x'.repeat(TEN_MIB)}"}`;
    expectError(await service.send('POST', path, { key: null, raw }), 'payload_too_large');
    expectError(await service.send('POST', path, { key: null, raw: '{' }), 'invalid_json');
    const headers = { 'content-type': 'text/plain' };
    expectError(await service.send('POST', path, { key: null, raw: '{}', headers }), 'unsupported_media_type');
  });

  it.each(['v1', 'v2'] as const)('credentials come before the ids of a path and the body: %s', async (version) => {
    for (const deployment of ['not-a-uuid', UNKNOWN]) {
      const path = turnPath(version, deployment);
      expectError(await service.send('POST', path, { key: null, body: {} }), 'unauthorized');
      expectError(await service.send('POST', path, { key: readOnly, body: {} }), 'forbidden', { facts: MISSING });
    }
  });

  it('credentials come before the variables of a GraphQL operation', async () => {
    const document = 'mutation ($id: UUID!) { sendMessage(deploymentId: $id, input: {}) { name } }';
    expectGraphqlError(await service.graphql(document, { id: 5 }, { key: null }), 'unauthorized');
    expectGraphqlError(await service.graphql(document, { id: 5 }, { key: readOnly }), 'forbidden', { facts: MISSING });
    expectGraphqlError(await service.graphql(document, { id: 5 }), 'invalid_request', { param: 'id' });
  });

  it('credentials come before the ids and the query of a read', async () => {
    for (const path of [historyPath('x', 'y'), historyPath(UNKNOWN, UNKNOWN), '/v1/runner/conversation/x/messages']) {
      expectError(await service.send('GET', `${path}?limit=0&page=0`, { key: null }), 'unauthorized');
    }
  });

  it.each(['v1', 'v2'] as const)('the ids of a path come before the body: %s', async (version) => {
    for (const body of [{}, { content: 5 }, { content: [] }, turnWith({ history_limit: 101 })]) {
      const missing = await service.send('POST', turnPath(version, UNKNOWN), { body });
      expectError(missing, 'not_found', { param: 'deployment_id' });
      const malformed = await service.send('POST', turnPath(version, 'x'), { body });
      expectError(malformed, 'invalid_request', { param: 'deployment_id', message: 'deployment_id must be a UUID' });
    }
    expectError(await service.send('POST', turnPath(version, UNKNOWN), { raw: '[]' }), 'not_found');
  });

  it('the ids of a path come before the query', async () => {
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

  it.each(TURNS)('the body comes before the conversation that it names: %s', async (path) => {
    const body = { conversation_id: UNKNOWN, content: [textPart(' ')] };
    expectError(await service.send('POST', path, { body }), 'invalid_request', { param: 'content[0].text' });
    const inOrder = await service.send('POST', path, { body: turnWith({ conversation_id: UNKNOWN }) });
    expectError(inOrder, 'not_found', { param: 'conversation_id' });
  });
});

describe('WIRE 3: an unexpected fault', () => {
  it('is told by fixed words, while its cause goes to the log with the request id', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const { prisma } = service.service.services;
    // Rows that the service itself would never write.
    await prisma.conversation.update({ where: { id }, data: { variables: 'a secret' } });
    await prisma.timelineItem.updateMany({ where: { conversationId: id }, data: { content: [{ type: 'text' }] } });
    const headers = { 'x-request-id': 'the-one-that-fails' };
    const message = /^Something went wrong on our side/;

    const read = await service.send('GET', `/v1/runner/conversation/${id}/messages`, { headers });
    expectError(read, 'internal_error', { param: null, message });
    const query = 'query ($id: UUID!) { conversation(conversationId: $id) { variables } }';
    const asked = await service.graphql(query, { id }, { headers });
    expectGraphqlError(asked, 'internal_error', { param: null, message });

    expect(JSON.stringify([read.body, asked.body])).not.toMatch(/secret|stack|TextPart|node_modules/);
    const faults = service.logged.filter((line) => /the-one-that-fails.*an unexpected fault/.test(line));
    expect(faults).toHaveLength(2);
  });
});
