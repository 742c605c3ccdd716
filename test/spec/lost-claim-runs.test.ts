import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { guardedByClaim } from '../../src/domain/access/caller-context.ts';
import type { Claim } from '../../src/domain/access/idempotency.ts';
import { createResource } from '../../src/domain/resources/create.ts';
import { connect } from '../support/actions.ts';
import { textContent } from '../support/agent-apis.ts';
import { callersOf, contextOf } from '../support/explaining.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { graphText } from '../support/graph-content.ts';
import { takeOver } from '../support/lost-claims.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { errorOf } from '../support/results.ts';
import type { TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let provided: ProviderService;
let service: TestService;
let api: FileServer;
let workflowId: number;
let deploymentId: string;
/** The key of the current request. */
let key: string;
beforeEach(() => {
  key = randomUUID();
});
beforeAll(async () => {
  provided = await startProviderService();
  ({ service } = provided);
  api = await startFileServer({
    '/orders': (_request, response) => void response.writeHead(204).end(),
    '/takeover': (_request, response) => void takeOver(db(), key).then(() => response.writeHead(204).end()),
  });
  await connect(service, { kind: 'http', name: 'Shop', url: api.url });
  const inputSchema = { type: 'object' };
  const httpActions = [
    { name: 'order', integration: 'Shop', url: '/orders', method: 'POST', inputSchema },
    { name: 'stall', integration: 'Shop', url: '/takeover', method: 'POST', inputSchema },
  ];
  ({ workflowId, deploymentId } = await publishedWorkflow(workflowsOf(service), { httpActions }));
});
afterAll(() => Promise.all([provided.close(), api.close()]));

const db = () => service.service.services.stores.prisma;

/** The process stalls while it asks the model, and another process takes the key over. Then the model replies. */
const takenOver = (reply: object = {}): FakeReply => ({
  kind: 'dictated',
  usage: { input: 7, output: 5 },
  pieces: (async function* () {
    await takeOver(db(), key);
    yield { deltas: ['Done'] };
  })(),
  ...reply,
});

const calls = (...names: string[]) => names.map((name) => ({ name, arguments: '{}' }));

const RESULT = '{ __typename ... on Error { code message path } }';

/** Sends a request under the current key. Returns the error that ends it. */
type Send = () => Promise<ReturnType<typeof errorOf>>;

const mutation =
  (name: string, input: () => object): Send =>
  async () => {
    const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) ${RESULT} }`;
    return errorOf(await service.graphql(query, { input: input() }, { headers: { 'idempotency-key': key } }));
  };

const subscription =
  (name: string, type: string, input: () => object): Send =>
  async () => {
    const query = `subscription ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
    const headers = { 'idempotency-key': key };
    const stream = await subscribe(service, query, { input: input() }, service.keys.live, headers);
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (event.errors) return errorOf({ body: event });
    }
    return undefined;
  };

const content = graphText('Hello');

const RUNS: Readonly<Record<string, Send>> = {
  draftTurn: subscription('draftTurn', 'DraftTurnInput', () => ({ workflowId, turns: [{ content }] })),
  testDraft: mutation('testDraft', () => ({ workflowId, content })),
  oneShotStream: subscription('oneShotStream', 'RunOnceInput', () => ({ deploymentId, content })),
  runOnce: mutation('runOnce', () => ({ deploymentId, content })),
};

const LOST = {
  code: 'unavailable',
  message: 'Another process continues this request. Send it again with the same idempotency key.',
};

const lines = () => db().workflowLog.findMany({ where: { workflowId }, orderBy: { id: 'asc' } });

/** Runs under a new key. Returns its error, its lines in the workflow log, and the requests of its actions. */
async function run(send: Send, ...replies: FakeReply[]) {
  const [before, requests] = [(await lines()).length, api.requests.length];
  provided.provider.reply(...replies);
  const error = await send();
  return { error, lines: (await lines()).slice(before), requests: api.requests.slice(requests) };
}

describe.each(Object.entries(RUNS))('%s, if another process takes its key over', (_name, send) => {
  it('has no outcome, and counts its cost, if that was while the model was asked', async () => {
    const { error, lines } = await run(send, takenOver());
    expect(error).toMatchObject(LOST);
    expect(lines).toMatchObject([{ outcome: 'interrupted', errorCode: null, inputTokens: 7, outputTokens: 5 }]);
  });

  it('starts no action if that was while the model was asked', async () => {
    const { error, lines, requests } = await run(send, takenOver({ calls: calls('order') }), {
      kind: 'answer',
      deltas: ['Ordered'],
    });
    expect(error).toMatchObject(LOST);
    expect(requests).toEqual([]);
    expect(lines).toMatchObject([{ outcome: 'interrupted', inputTokens: 7, outputTokens: 5 }]);
  });

  it('starts no further action if that was while an action ran', async () => {
    const { error, lines, requests } = await run(
      send,
      { kind: 'answer', calls: calls('stall', 'order') },
      { kind: 'answer', deltas: ['Ordered'] },
    );
    expect(error).toMatchObject(LOST);
    expect(requests).toEqual(['POST /takeover']);
    expect(lines).toMatchObject([{ outcome: 'interrupted' }]);
  });

  it('does not fail if the model fails as well', async () => {
    const { error, lines } = await run(send, takenOver({ isCut: true }));
    expect(error).toMatchObject(LOST);
    expect(lines).toMatchObject([{ outcome: 'interrupted', errorCode: null }]);
  });
});

it('leaves the line of the other process to the trigger', async () => {
  const path = `/v1/runner/${deploymentId}`;
  const { body } = await service.send('POST', `${path}/trigger`, { body: { content: textContent('Hello') } });
  const send = mutation('runOnce', () => ({ deploymentId, triggerId: body.id }));
  const { lines } = await run(send, takenOver());
  expect(lines).toMatchObject([{ outcome: 'interrupted', triggerId: body.id }]);
  expect(await db().trigger.findFirstOrThrow({ where: { id: body.id } })).toMatchObject({ workflowLogId: null });
});

it('stores nothing if another process takes the key over between the check of an action and its statement', async () => {
  const { services } = service.service;
  const { key: caller } = await callersOf(services);
  const claimed = await services.stores.idempotency.claim(caller.environment.id, key, {
    request: 1,
    namespace: undefined,
  });
  const claim: Claim = { ...(claimed as Extract<typeof claimed, { kind: 'claim' }>).claim, runsTurn: true };
  const ctx = guardedByClaim(contextOf(services, caller, claim));
  await createResource(ctx, { type: 'kept', fields: {} });
  await takeOver(db(), key);
  await expect(createResource(ctx, { type: 'lost', fields: {} })).rejects.toMatchObject(LOST);
  expect(await db().resource.count({ where: { type: { in: ['kept', 'lost'] } } })).toBe(1);
});
