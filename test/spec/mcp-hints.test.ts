import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { branchesOf } from '../support/branching.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { type FakeMcp, type FakeTool, startMcp } from '../support/mcp-server.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { resultOf } from '../support/results.ts';
import { replyWith } from '../support/talk.ts';
import { workflowsOf } from '../support/workflows.ts';

let provided: ProviderService;
let branches: ReturnType<typeof branchesOf>;
const servers: FakeMcp[] = [];
beforeAll(async () => {
  provided = await startProviderService();
  branches = branchesOf(provided.service);
});
afterAll(() => provided.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

const update = (id: string, trustsHints: boolean) =>
  provided.service.graphql(
    `mutation ($input: UpdateIntegrationInput!) { it: updateIntegration(input: $input) { __typename
      ... on UpdateIntegrationPayload { integration { trustsHints } } ... on Error { code message path } } }`,
    { input: { id, trustsHints } },
  );

/** A workflow with one MCP server, whose integration trusts hints or does not. */
async function connected(echo: FakeTool, trustsHints: boolean) {
  const server = await startMcp({ echo });
  servers.push(server);
  const id = await connect(provided.service, { kind: 'mcp', name: server.url, url: server.url });
  if (trustsHints) expect(resultOf(await update(id, true))).toEqual({ trustsHints: true });
  const workflow = await publishScripted(provided.service, workflowsOf(provided.service), {
    mcpServers: [{ name: 'tools', integration: server.url, approval: { mode: 'NEVER' } }],
    clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }],
  });
  return { id, ...workflow };
}

const CALL: FakeReply = { kind: 'answer', calls: [{ name: 'tools_echo', arguments: '{}' }] };

const echo = (annotations: unknown): FakeTool => ({
  fields: { annotations },
  call: () => ({ result: { content: [] } }),
});

/** The code of the error if the last turn is replaced, or undefined. */
async function regenerated(conversationId: string): Promise<string | undefined> {
  provided.provider.reply(replyWith('Again.'));
  return (await branches.regenerate(conversationId)).body.error?.code;
}

describe('a call of a tool of an MCP server', () => {
  it.each([
    ['has no effect if the tool only reads and its integration trusts hints', true, { readOnlyHint: true }, undefined],
    ['has an effect if the tool does not say that it only reads', true, { readOnlyHint: false }, 'turn_has_effects'],
    ['has an effect if the hint is not a boolean', true, { readOnlyHint: 'true' }, 'turn_has_effects'],
    ['has an effect if the tool has no hints', true, null, 'turn_has_effects'],
    ['has an effect if its integration does not trust hints', false, { readOnlyHint: true }, 'turn_has_effects'],
  ])('%s', async (_description, trustsHints, annotations, code) => {
    const { turn } = await connected(echo(annotations), trustsHints);
    provided.provider.reply(CALL, replyWith('Done.'));
    expect(await regenerated((await turn('Do it')).body.conversation_id)).toBe(code);
  });

  it('is judged by the setting at its time', async () => {
    const { id, turn } = await connected(echo({ readOnlyHint: true }), false);
    provided.provider.reply(CALL, replyWith('Done.'));
    const { conversation_id: before } = (await turn('Do it')).body;
    await update(id, true);
    expect(await regenerated(before)).toBe('turn_has_effects');
    provided.provider.reply(CALL, replyWith('Done.'));
    const { conversation_id: after } = (await turn('Do it')).body;
    await update(id, false);
    expect(await regenerated(after)).toBeUndefined();
  });

  it('keeps its effect if the server changes the hint before the turn is resumed', async () => {
    const fields = { annotations: { readOnlyHint: false } };
    const changing: FakeTool = {
      fields,
      call:
        (_, { message }) =>
        (response) => {
          fields.annotations.readOnlyHint = true;
          const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
          const result = { jsonrpc: '2.0', id: message?.id, result: { content: [] } };
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end([changed, result].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
        },
    };
    const { turn, deploymentId } = await connected(changing, true);
    const questions = [{ id: 'q', question: 'Which?', input_type: 'text' }];
    const ask = { name: 'ask_user', arguments: JSON.stringify({ questions }) };
    provided.provider.reply(CALL, { kind: 'answer', calls: [ask] }, replyWith('Done.'));
    const client_capabilities = ['ask_user'];
    const { body } = await turn('Do it', { client_capabilities });
    const { conversation_id, client_tool_calls } = body;
    const output = { answers: [{ id: 'q', value: 'This' }] };
    const tool_results = [{ call_id: client_tool_calls[0].call_id, output }];
    await provided.service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { conversation_id, tool_results, client_capabilities },
    });
    const { body: refused } = await branches.regenerate(conversation_id);
    expect(refused.error.effects.map(({ name }: { name: string }) => name)).toContain('tools_echo');
  });
});
