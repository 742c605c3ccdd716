import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FILE = { mimeType: 'image/png', fileUri: 'https://example.com/a.png' };
const PART_FIELDS = /must have exactly one of the fields text, url, image, video, audio, data/;
const CAPABILITY_FIELDS = /must have exactly one of the fields name, tool/;

const RESULT = `{ ... on RunAgentTurnPayload { turn {
  ... on FinishedTurn { content } ... on PausedTurn { pendingActions { name } } } }
  ... on Error { code message path } }`;

const TURN = `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) ${RESULT} }`;

const send = (input: object) => service.graphql(TURN, { input: { deploymentId: DEMO_AGENT_ID, ...input } });

describe('a content part in GraphQL', () => {
  it.each([
    ['no field', {}, 'content[0]', PART_FIELDS],
    ['two fields', { text: 'Hello', image: FILE }, 'content[0]', PART_FIELDS],
    ['a field that is null', { text: null }, 'content[0].text', /must not be null/],
    ['an unknown field', { html: 'Hello' }, 'content[0].html', /is not a field of this input/],
    ['the form of REST', { type: 'text', text: 'Hello' }, 'content[0].type', /is not a field of this input/],
    ['a file without a URL', { image: { mimeType: 'image/png' } }, 'content[0].image.fileUri', /is required/],
    ['a malformed media type', { video: { ...FILE, mimeType: 'x' } }, 'content[0].video.mimeType', /MIME type/],
    ['malformed data', { data: { mimeType: 'a/b', data: '?' } }, 'content[0].data.data', /must be base64/],
  ])('is rejected with %s', async (_description, part, param, message) => {
    expectGraphqlError(await send({ content: [part] }), 'invalid_request', { param, message });
  });

  it('can be written in the document', async () => {
    const document = `mutation ($id: ID!) { runAgentTurn(input: { deploymentId: $id, content: [
      { text: "Look" }, { image: { mimeType: "image/png", fileUri: "https://example.com/a.png" } }] }) ${RESULT} }`;
    const { body } = await service.graphql(document, { id: DEMO_AGENT_ID });
    expect(body.data.runAgentTurn.turn.content).toContain('Look');
  });
});

describe('a connected client tool in GraphQL', () => {
  const schema = { type: 'object' };

  it.each([
    ['no field', {}, 'clientCapabilities[0]', CAPABILITY_FIELDS],
    ['two fields', { name: 'a', tool: { name: 'a', inputSchema: schema } }, 'clientCapabilities[0]', CAPABILITY_FIELDS],
    ['no schema', { tool: { name: 'a' } }, 'clientCapabilities[0].tool.inputSchema', /is required/],
    ['an invalid name', { tool: { name: '-', inputSchema: schema } }, 'clientCapabilities[0].tool.name', /letters/],
    [
      'a malformed schema',
      { tool: { name: 'a', inputSchema: { type: 'nothing' } } },
      'clientCapabilities[0].tool.inputSchema',
      /./,
    ],
  ])('is rejected with %s', async (_description, capability, param, message) => {
    const response = await send({ content: graphText('Hello'), clientCapabilities: [capability] });
    expectGraphqlError(response, 'invalid_request', { param, message });
  });

  it('is offered to the model with its schema', async () => {
    const clientCapabilities = [{ tool: { name: 'roll', inputSchema: schema } }];
    const { body } = await send({ content: graphText('/call roll {}'), clientCapabilities });
    expect(body.data.runAgentTurn.turn.pendingActions).toEqual([{ name: 'roll' }]);
  });
});

describe('the same fields in REST', () => {
  const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
  const content = [{ type: 'text', text: 'Hello' }];

  it.each([
    ['content[0].mime_type', { content: [{ type: 'image', mime_type: 'x', file_uri: 'https://a.example' }] }],
    ['content[0].file_uri', { content: [{ type: 'image', mime_type: 'a/b', file_uri: null }] }],
    ['content[0].text', { content: [{ ...content[0], text: null }] }],
    ['content[0].data', { content: [{ ...content[0], data: 5 }] }],
    ['client_capabilities[0]', { content, client_capabilities: [5] }],
    ['client_capabilities[0]', { content, client_capabilities: [{ name: 'a', input_schema: 5 }] }],
    ['client_capabilities[0].name', { content, client_capabilities: [{ name: '-', input_schema: {} }] }],
    [
      'client_capabilities[0].input_schema',
      { content, client_capabilities: [{ name: 'a', input_schema: { type: 1 } }] },
    ],
  ])('are named %s in errors', async (param, body) => {
    expectError(await service.send('POST', path, { body }), 'invalid_request', { param });
  });
});
