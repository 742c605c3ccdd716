import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { openTurnFeed } from '../support/turn-feed.ts';

let provided: ProviderService;
let path: string;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({ clientTools: [{ name: 'ask_user', description: 'Asks the user.' }] });
  path = `/v2/runner/${deploymentId}/conversation`;
});
afterAll(() => provided.close());

const send = (body: object, headers: Record<string, string>) =>
  provided.service.send('POST', path, { body: { content: textContent('Hello'), ...body }, headers });

const ASYNC = { prefer: 'respond-async' };

describe('a turn whose client prefers not to wait', () => {
  it('responds 202 with the feed, and runs', async () => {
    const dictation = dictate(provided.provider);
    const started = await send({}, ASYNC);
    expect(started.status).toBe(202);
    const { conversation_id, run_id } = started.body;
    const follow_cursor = expect.any(String);
    expect(started.body).toEqual({ conversation_id, run_id, run_status: 'running', follow_cursor });
    expect(started.headers.get('location')).toBe(`/v1/runner/conversation/${conversation_id}/stream`);
    expect(started.headers.get('preference-applied')).toBe('respond-async');
    const feed = await openTurnFeed(provided.service, conversation_id);
    dictation.say('Words');
    await feed.until('text.delta');
    dictation.end();
    expect((await feed.until('turn.ended')).at(-1)?.data).toMatchObject({ run_id, reply: 'Words' });
    feed.close();
  });

  it('gives its outcome to a second request with the same key that waits', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const dictation = dictate(provided.provider);
    const started = await send({}, { ...ASYNC, ...headers });
    const again = await send({}, { ...ASYNC, ...headers });
    expect([again.status, again.body]).toEqual([202, started.body]);
    const waiting = send({}, headers);
    dictation.say('Words');
    dictation.end();
    const { status, body } = await waiting;
    expect([status, body.run_id, body.content]).toEqual([200, started.body.run_id, 'Words']);
    expect((await send({}, headers)).body).toMatchObject({ run_id: body.run_id, content: 'Words' });
  });

  it('gives the error of a failed turn to a second request that waits', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    provided.provider.reply({ kind: 'cut', deltas: ['Wor'] });
    const started = await send({}, { ...ASYNC, ...headers });
    const failed = await send({}, headers);
    expect([failed.status, failed.body.error.code]).toEqual([502, 'model_error']);
    expect(failed.body.error.run_id).toBe(started.body.run_id);
  });

  it('is rejected like any other turn', async () => {
    const dictation = dictate(provided.provider);
    const { body } = await send({}, ASYNC);
    const second = await send({ conversation_id: body.conversation_id }, ASYNC);
    expect([second.status, second.body.error.code]).toEqual([409, 'run_in_progress']);
    dictation.end();
  });

  it('waits if the header has another preference', async () => {
    provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const response = await send({}, { prefer: 'wait=10' });
    expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null]);
  });

  it('can send tool results without waiting, over GraphQL too', async () => {
    const questions = [{ id: 'name', question: 'Name?', input_type: 'text' }];
    const call = { name: 'ask_user', arguments: JSON.stringify({ questions }) };
    provided.provider.reply({ kind: 'answer', calls: [call] });
    const { body } = await send({ client_capabilities: ['ask_user'] }, {});
    const { conversation_id: conversationId, run_id: runId, client_tool_calls: calls } = body;
    const dictation = dictate(provided.provider);
    const toolResults = [{ callId: calls[0].call_id, output: { answers: [{ id: 'name', value: 'Ann' }] } }];
    const resumed = await provided.service.graphql(
      `mutation ($input: ResumeAgentTurnInput!) { resumeAgentTurn(input: $input) {
         ... on ResumeAgentTurnPayload { turn { __typename ... on StartedTurn { runId conversation { latestRun { status } } } } } } }`,
      { input: { deploymentId, conversationId, toolResults, background: true } },
    );
    const turn = { __typename: 'StartedTurn', runId, conversation: { latestRun: { status: 'RUNNING' } } };
    expect(resumed.body.data.resumeAgentTurn).toEqual({ turn });
    dictation.end();
  });

  it('gives the outcome of repeated tool results to a second request that waits', async () => {
    const questions = [{ id: 'name', question: 'Name?', input_type: 'text' }];
    const call = { name: 'ask_user', arguments: JSON.stringify({ questions }) };
    provided.provider.reply({ kind: 'answer', calls: [call] });
    const paused = (await send({ client_capabilities: ['ask_user'] }, {})).body;
    provided.provider.reply({ kind: 'answer', deltas: ['Hello Ann'] });
    const output = { answers: [{ id: 'name', value: 'Ann' }] };
    const results = {
      content: undefined,
      conversation_id: paused.conversation_id,
      tool_results: [{ call_id: paused.client_tool_calls[0].call_id, output }],
    };
    expect((await send(results, {})).body.content).toBe('Hello Ann');
    const headers = { 'idempotency-key': randomUUID() };
    expect((await send(results, { ...ASYNC, ...headers })).status).toBe(202);
    const waited = await send(results, headers);
    expect([waited.status, waited.body.content]).toEqual([200, 'Hello Ann']);
  });

  it('can be a v1 message, over both APIs', async () => {
    provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const chat = `/v1/runner/${deploymentId}/conversation`;
    const headers = { 'idempotency-key': randomUUID() };
    const started = await provided.service.send('POST', chat, {
      body: { content: textContent('Hello') },
      headers: { ...ASYNC, ...headers },
    });
    const { conversation_id, run_id } = started.body;
    expect([started.status, started.body]).toMatchObject([202, { conversation_id, run_id, run_status: 'running' }]);
    expect(started.headers.get('location')).toBe(`/v1/runner/conversation/${conversation_id}/stream`);
    const waited = await provided.service.send('POST', chat, { body: { content: textContent('Hello') }, headers });
    expect([waited.status, waited.body.content]).toEqual([200, 'Hi']);
    const sent = await provided.service.graphql(
      `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
         ... on SendMessagePayload { turn { content } started { runId conversation { conversationId } } } } }`,
      { input: { deploymentId, content: [{ text: 'Hello' }], background: true } },
    );
    expect(sent.body.data.sendMessage).toEqual({
      turn: null,
      started: { runId: expect.any(String), conversation: expect.anything() },
    });
  });

  it('cannot be a streamed reply', async () => {
    const message = { deploymentId, content: [{ text: 'Hello' }], background: true };
    const { service } = provided;
    const document = 'subscription ($input: SendMessageInput!) { replyStream(input: $input) { event } }';
    const stream = await subscribe(service, document, { input: message }, service.keys.live);
    const shown = stream.rejection?.body ?? (await stream.next());
    expect(JSON.stringify(shown)).toContain('background is not possible for a streamed reply');
    await stream.close();
  });
});
