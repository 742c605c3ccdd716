import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { branchesOf } from '../support/branching.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { startMcp } from '../support/mcp-server.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith } from '../support/talk.ts';
import { workflowsOf } from '../support/workflows.ts';

const ACTION = { integration: 'Bank', url: '/charges', inputSchema: { type: 'object' } };

const DRAFT = {
  httpActions: [
    { ...ACTION, name: 'charge', method: 'POST' },
    { ...ACTION, name: 'charge_safely', method: 'POST', retrySafe: true },
    { ...ACTION, name: 'charge_asked', method: 'POST', approval: { mode: 'ALWAYS', approver: 'EITHER' } },
    { ...ACTION, name: 'balance', method: 'GET' },
  ],
  clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }],
  resourceTools: ['CREATE_RESOURCE', 'FIND_RESOURCES'],
};

let provided: ProviderService;
let bank: FileServer;
let branches: ReturnType<typeof branchesOf>;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  provided = await startProviderService();
  bank = await startFileServer({ '/charges': (_request, response) => void response.writeHead(200).end('{}') });
  branches = branchesOf(provided.service);
  await connect(provided.service, { kind: 'http', name: 'Bank', url: bank.url });
  workflow = await publishScripted(provided.service, workflowsOf(provided.service), DRAFT);
});
afterAll(async () => {
  await Promise.all([provided.close(), bank.close()]);
});

const calls = (name: string, args: object = {}): FakeReply => ({
  kind: 'answer',
  calls: [{ name, arguments: JSON.stringify(args) }],
});

/** A conversation whose turn calls a tool, and a second turn. Returns its ID. */
async function conversationWith(name: string, args: object = {}, then = true): Promise<string> {
  provided.provider.reply(calls(name, args), replyWith('Done.'));
  const { body } = await workflow.turn('Do it');
  if (then) {
    provided.provider.reply(replyWith('Fine.'));
    await workflow.turn('Thanks', { conversation_id: body.conversation_id });
  }
  return body.conversation_id;
}

const firstOf = async (id: string) => (await branches.messages(id))[0]?.id;

/** The messages of the last request to the model, as text. */
const prompt = () => JSON.stringify(provided.provider.requests.at(-1)?.body.messages);

describe('a turn that ran an action', () => {
  it.each([
    ['charge', {}],
    ['create_resource', { type: 'note', fields: {} }],
  ])('is replaced only if the caller acknowledges what %s did', async (name, args) => {
    const id = await conversationWith(name, args);
    const refused = await branches.edit(id, await firstOf(id), 'Rather not');
    const effects = [{ call_id: expect.stringMatching(/^call_/), name, status: 'completed' }];
    expectError(refused, 'turn_has_effects', { param: 'acknowledge_effects', facts: { effects, effect_count: 1 } });
    expect(await branches.messages(id)).toHaveLength(4);
    provided.provider.reply(replyWith('I see.'));
    const edited = await branches.edit(id, await firstOf(id), 'Rather not', { acknowledge_effects: true });
    expect([edited.status, edited.body.content]).toEqual([200, 'I see.']);
    expect(prompt()).toContain('Its actions were not undone');
    expect(prompt()).toContain(name);
  });

  it('says so in GraphQL', async () => {
    const id = await conversationWith('charge', {}, false);
    const query = `mutation ($input: RegenerateTurnInput!) { regenerateTurn(input: $input) { __typename
      ... on Error { code message path } ... on TurnHasEffects { effectCount effects { callId name status } } } }`;
    const response = await provided.service.graphql(query, { input: { conversationId: id } });
    expect(response.body.data.regenerateTurn).toMatchObject({
      __typename: 'TurnHasEffects',
      effectCount: 1,
      effects: [{ name: 'charge', status: 'COMPLETED' }],
    });
    expectGraphqlError(response, 'turn_has_effects');
  });

  it.each([
    ['balance', {}],
    ['charge_safely', {}],
    ['find_resources', {}],
    ['no_such_tool', {}],
  ])('can be replaced at once if %s changes nothing', async (name, args) => {
    const id = await conversationWith(name, args, false);
    provided.provider.reply(replyWith('Again.'));
    expect((await branches.regenerate(id)).body).toMatchObject({ content: 'Again.' });
    expect(prompt()).not.toContain('not undone');
  });

  it('has an effect if a client ran a tool, and no effect if its approval was refused', async () => {
    const asked = async (name: string, args: object, output: object) => {
      provided.provider.reply(calls(name, args), replyWith('Done.'));
      const { body } = await workflow.turn('Do it');
      const results = [{ call_id: body.client_tool_calls[0].call_id, output }];
      const { status } = await provided.service.send('POST', `/v2/runner/${workflow.deploymentId}/conversation`, {
        body: { conversation_id: body.conversation_id, tool_results: results },
      });
      expect(status).toBe(200);
      return body.conversation_id;
    };
    const question = { questions: [{ id: 'q', question: 'Which?', input_type: 'text' }] };
    const answered = await asked('ask_user', question, { answers: [{ id: 'q', value: 'This' }] });
    expect((await branches.regenerate(answered)).body.error).toMatchObject({
      code: 'turn_has_effects',
      effects: [{ name: 'ask_user', status: 'completed' }],
    });
    const refused = await asked('charge_asked', {}, { approved: false });
    provided.provider.reply(replyWith('Again.'));
    expect((await branches.regenerate(refused)).status).toBe(200);
    const approved = await asked('charge_asked', {}, { approved: true });
    expect((await branches.regenerate(approved)).body.error.effects).toMatchObject([{ name: 'charge_asked' }]);
  });

  it('has an effect if a client may have run its tool before the turn was stopped, but not if it only asked', async () => {
    const { deploymentId, turn } = await publishScripted(provided.service, workflowsOf(provided.service), {
      clientTools: [{ name: 'charge_card', description: 'Charges.', availability: 'ALWAYS' }, { name: 'ask_user' }],
    });
    expect(deploymentId).toEqual(expect.any(String));
    const stopped = async (name: string, args: object = {}) => {
      provided.provider.reply(calls(name, args));
      const { conversation_id: id } = (await turn('Do it', { client_capabilities: ['ask_user'] })).body;
      await provided.service.send('POST', `/v1/runner/conversation/${id}/stop`);
      return id;
    };
    expect((await branches.regenerate(await stopped('charge_card'))).body.error).toMatchObject({
      code: 'turn_has_effects',
      effects: [{ name: 'charge_card', status: 'cancelled' }],
    });
    const asked = await stopped('ask_user', { questions: [{ id: 'q', question: 'Which?', input_type: 'text' }] });
    provided.provider.reply(replyWith('Again.'));
    expect((await branches.regenerate(asked)).status).toBe(200);
  });

  it('keeps its list in later turns, and in further edits of the same message', async () => {
    const id = await conversationWith('charge', { amount: 17 }, false);
    provided.provider.reply(replyWith('Not again.'));
    await branches.regenerate(id, { acknowledge_effects: true });
    provided.provider.reply(replyWith('Edited.'));
    // The calls were acknowledged: they are not in the turn that is replaced now.
    expect((await branches.edit(id, await firstOf(id), 'Something else')).status).toBe(200);
    expect(prompt()).toContain('17');
    provided.provider.reply(replyWith('Later.'));
    await workflow.turn('And now?', { conversation_id: id });
    expect(prompt()).toContain('17');
    expect(prompt().split('not undone')).toHaveLength(2);
  });

  it('is asked about when another variant replaces it, and is not listed once it is active again', async () => {
    provided.provider.reply(replyWith('Nothing done.'));
    const { conversation_id: id } = (await workflow.turn('Do it')).body;
    provided.provider.reply(calls('charge'), replyWith('Charged.'));
    await branches.regenerate(id);
    const [, first, second] = await branches.messages(id, '&branch=all');
    expect((await branches.select(id, first?.id)).body.error.code).toBe('turn_has_effects');
    expect((await branches.select(id, first?.id, { acknowledge_effects: true })).status).toBe(200);
    provided.provider.reply(replyWith('Next.'));
    const { body: fork } = await branches.fork(id);
    await workflow.turn('Next', { conversation_id: fork.conversation_id });
    expect(prompt()).toContain('not undone');
    expect((await branches.select(id, second?.id)).status).toBe(200);
    provided.provider.reply(replyWith('Next.'));
    await workflow.turn('Next', { conversation_id: id });
    expect(prompt()).not.toContain('not undone');
  });
});

describe('a tool of an MCP server', () => {
  it('counts as an action with an effect', async () => {
    const server = await startMcp({ echo: { call: () => ({ result: { content: [] } }) } });
    try {
      await connect(provided.service, { kind: 'mcp', name: 'Tools', url: server.url });
      const flows = workflowsOf(provided.service);
      workflow = await publishScripted(provided.service, flows, {
        mcpServers: [{ name: 'tools', integration: 'Tools', approval: { mode: 'NEVER' } }],
      });
      provided.provider.reply(calls('tools_echo', { text: 'Hi' }), replyWith('Done.'));
      const { conversation_id: id } = (await workflow.turn('Do it')).body;
      expect((await branches.regenerate(id)).body.error).toMatchObject({ code: 'turn_has_effects' });
    } finally {
      await server.close();
    }
  });
});
