import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FAILED = `__typename ... on ModelFailed { code message runId conversationId isRetryable retryAfterMs
  run { runId status failure { reason } conversation { conversationId } } }`;

const send = (name: 'sendMessage' | 'runAgentTurn' | 'runOnce', input: object, options: object = {}) => {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
  return service.graphql(
    `mutation ($input: ${type}!) { it: ${name}(input: $input) { ${FAILED} } }`,
    { input },
    options,
  );
};

describe('a turn whose model fails', () => {
  it.each([
    ['sendMessage', DEMO_CHAT_ID],
    ['runAgentTurn', DEMO_AGENT_ID],
  ] as const)('is the result ModelFailed of %s, with its run', async (name, deploymentId) => {
    const { status, body } = await send(name, { deploymentId, content: graphText('/fail') });
    expect([status, body.errors]).toEqual([200, undefined]);
    const { runId, conversationId, ...failed } = body.data.it;
    expect(failed).toEqual({
      __typename: 'ModelFailed',
      code: 'MODEL_ERROR',
      message: 'The demo model failed, as the script requested. Your message is stored. Send the next one.',
      isRetryable: true,
      retryAfterMs: null,
      run: { runId, status: 'FAILED', failure: { reason: 'MODEL_ERROR' }, conversation: { conversationId } },
    });
    const again = await send(name, { deploymentId, conversationId, content: graphText('Hello') });
    expect(again.body.data.it.__typename).not.toBe('ModelFailed');
  });

  it('does not keep the idempotency key, as by REST: a retry is a new turn', async () => {
    const headers = { 'idempotency-key': 'a-failed-turn' };
    const input = { deploymentId: DEMO_AGENT_ID, content: graphText('/fail') };
    const runs = [];
    for (const _attempt of [1, 2]) runs.push((await send('runAgentTurn', input, { headers })).body.data.it.runId);
    for (const _attempt of [1, 2]) {
      const options = {
        body: { content: [{ type: 'text', text: '/fail' }] },
        headers: { 'idempotency-key': 'by-rest' },
      };
      const { body } = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, options);
      runs.push(body.error.run_id);
    }
    expect(new Set(runs).size).toBe(4);
  });

  it('has the ID of the run, but not the run, for callers without credentials', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const { body } = await send('runAgentTurn', { deploymentId: id, content: graphText('/fail') }, { key: null });
    expect(body.data.it).toMatchObject({ __typename: 'ModelFailed', runId: expect.any(String), run: null });
  });

  it('cannot be retried if its model is not configured', async () => {
    const { id } = await makeDeployment(service, { model: 'openai:any' });
    const { body } = await send('runOnce', { deploymentId: id, content: graphText('Hello') });
    expect(body.data.it).toMatchObject({ __typename: 'ModelFailed', isRetryable: false, runId: null, run: null });
  });
});
