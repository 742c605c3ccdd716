import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import {
  type RawProvider,
  type RawReply,
  startRawProvider,
  trickle,
  withFields,
  withStatus,
} from '../support/raw-provider.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

const STORED = 'Your message is stored. Send the next one.';
const UNREADABLE = ['provider_unreadable', 'The answer of the model provider could not be understood.'] as const;
const CUT = ['provider_disconnected', 'The connection to the model provider broke off.'] as const;
const LATE = ['model_timeout', 'The model did not answer within 2 s.'] as const;
const failed = (status: number) => ['provider_failed', `The model provider failed (${status}).`] as const;

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** A response by its description, and the reason and the message of the failed turn. */
const RESPONSES: readonly (readonly [string, RawReply, readonly [reason: string, message: string]])[] = [
  ['a header of 100 kB', withFields(`x-long: ${'x'.repeat(100_000)}`), UNREADABLE],
  ['1,000 headers of 100 bytes', withFields(...Array(1_000).fill(`x-long: ${'x'.repeat(100)}`)), UNREADABLE],
  ['a Content-Length that is too small', withFields('content-length: 30'), CUT],
  ['a Content-Length of 0', withFields('content-length: 0'), CUT],
  ['a Content-Length that is no number', withFields('content-length: -1'), UNREADABLE],
  ['a Content-Length and chunks', withFields('content-length: 5', 'transfer-encoding: chunked'), UNREADABLE],
  ['chunks without lengths', withFields('transfer-encoding: chunked'), UNREADABLE],
  [
    'half of its Content-Length',
    (socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\ndata: {}\n\n`),
    CUT,
  ],
  ['the status 000', withStatus('000'), UNREADABLE],
  ['the status 099', withStatus('099'), UNREADABLE],
  ['the status 101', withStatus('101'), UNREADABLE],
  ['the status 199', withStatus('199'), UNREADABLE],
  ['the status 600', withStatus('600'), failed(600)],
  ['the status 999', withStatus('999'), failed(999)],
  ['the status 1000', withStatus('1000'), UNREADABLE],
  [
    'half of its reply in chunks, and then no chunk',
    (socket) => void socket.end(`${CHUNKED}5\r\ndata:\r\nzz\r\n`),
    UNREADABLE,
  ],
  ['no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'), UNREADABLE],
  ['comments without an end', trickle(': ping\n\n'), LATE],
  ['empty events without an end', trickle('data:\n\n'), LATE],
  ['events that say nothing without an end', trickle('data: {}\n\n'), LATE],
  ['spaces without an end', trickle('  '), LATE],
  ['line breaks without an end', trickle('\r\n'), LATE],
  ['early hints without an end', trickle('HTTP/1.1 103 Early Hints\r\n\r\n', ''), LATE],
  ['a Content-Length without its bytes', trickle('', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n'), LATE],
];

let provider: RawProvider;
let service: TestService;
let deploymentId: string;
let hastyId: string;
beforeAll(async () => {
  const byNumber = new Map(RESPONSES.map(([, reply], index) => [`odd ${index}.`, reply]));
  provider = await startRawProvider((message) => {
    // The message of the failed turn comes with the next one.
    const odd = message.includes('And now?') ? undefined : /odd \d+\./.exec(message)?.[0];
    return byNumber.get(odd ?? '') ?? withFields();
  });
  const openai = { apiKey: 'a-key', baseUrl: `${provider.url}/v1` };
  service = await startService({ providers: { openai, anthropic: {} } });
  deploymentId = (await makeDeployment(service, { model: 'openai:any', timeoutSeconds: 20 }, { kind: 'agent' })).id;
  hastyId = (await makeDeployment(service, { model: 'openai:any', timeoutSeconds: 2 }, { kind: 'agent' })).id;
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

describe.concurrent('a turn fails with its reason, and the next turn works, if the provider sends', () => {
  it.each(RESPONSES.map(([description, , failure], index) => ({ description, failure, index })))(
    '$description',
    async ({ failure: [reason, message], index }) => {
      const id = reason === 'model_timeout' ? hastyId : deploymentId;
      const turn = (text: string, fields = {}) =>
        service.send('POST', `/v2/runner/${id}/conversation`, { body: { content: textContent(text), ...fields } });
      const { status, body } = await turn(`odd ${index}.`);
      const expected = {
        status: reason === 'model_timeout' ? 504 : 502,
        body: { error: { message: `${message} ${STORED}` } },
      };
      expect({ status, body }).toMatchObject(expected);
      const { conversation_id } = body.error;
      expect(await reasonOf(conversation_id)).toBe(reason);
      expect(await turn('And now?', { conversation_id })).toMatchObject({ status: 200, body: { content: 'Good.' } });
    },
    30_000,
  );
});

async function reasonOf(conversationId: string): Promise<string> {
  const { id } = await service.service.services.stores.prisma.run.findFirstOrThrow({ where: { conversationId } });
  const { body } = await service.graphql('query ($id: ID!) { run(id: $id) { failure { reason } } }', { id });
  return body.data.run.failure.reason.toLowerCase();
}
