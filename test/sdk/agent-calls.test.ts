import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/sdk/index.ts';
import { lookup } from '../support/agent-turns.ts';
import { agentFactory, clientFor, stateOf, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const createAgent = agentFactory(() => service);

/** Values that JavaScript callers may pass although the type forbids them. */
const NO_OBJECTS = [undefined, null, 'gold', ['gold']].map((output) => ({ output: output as unknown as JsonObject }));

describe('tool calls of client.agent', () => {
  it('settled resolves at the end of the turn, after all handlers', async () => {
    const agent = createAgent();
    const clientTools = { lookup_customer: async () => ({ tier: 'gold' }) };
    const paused = await agent.start({ content: `${lookup('A')}\n${lookup('B')}\n/say done`, clientTools });
    expect(textsOf(paused)).not.toContain('done');
    const settled = await agent.settled();
    expect(settled).toMatchObject({ status: 'success', pendingToolCalls: [] });
    expect(textsOf(settled).at(-1)).toBe('done');
    expect(await agent.settled()).toBe(settled);
  });

  it('settled resolves with the error of a failed turn', async () => {
    const agent = createAgent();
    await agent.start({ content: '/fail' }).catch(() => {});
    expect(await agent.settled()).toMatchObject({ status: 'error', error: { code: 'model_error' } });
  });

  it.each(NO_OBJECTS)('reports client_tool_failed when a handler returns $output', async ({ output }) => {
    const agent = createAgent();
    await agent.start({ content: lookup('A'), clientTools: { lookup_customer: () => output } });
    const { error, pendingToolCalls } = await stateOf(agent, ({ status }) => status === 'error');
    expect(error).toMatchObject({
      code: 'client_tool_failed',
      message: expect.stringContaining('it must return an object'),
    });
    expect(pendingToolCalls).toHaveLength(1);
  });

  it.each(NO_OBJECTS)('resolveTool rejects the output $output', async ({ output }) => {
    const agent = createAgent();
    const { pendingToolCalls } = await agent.start({
      content: lookup('A'),
      clientCapabilities: ['lookup_customer'],
    });
    const [call] = pendingToolCalls;
    await expect(agent.resolveTool(call?.callId ?? '', output)).rejects.toMatchObject({
      name: 'ParleyError',
      code: 'invalid_call',
      param: 'output',
    });
  });

  it('resolveTool rejects an unknown call with status 400', async () => {
    const agent = createAgent();
    await agent.start({ content: 'Hello' });
    await expect(agent.resolveTool('no-such-call', {})).rejects.toMatchObject({
      status: 400,
      code: 'unknown_call_id',
      type: 'invalid_request_error',
      details: { call_ids: ['no-such-call'] },
    });
  });

  it('names conversationId in the error about an invalid ID', async () => {
    const invalid = { status: 400, code: 'invalid_request', param: 'conversationId' };
    await expect(createAgent().get('not-a-uuid')).rejects.toMatchObject(invalid);
    await expect(createAgent().open('not-a-uuid')).rejects.toMatchObject(invalid);
    await expect(createAgent().open('not-a-uuid', { live: false })).rejects.toMatchObject(invalid);
    const { conversation } = clientFor(service);
    conversation.start('not-a-uuid');
    await expect(conversation.loadMessages()).rejects.toMatchObject(invalid);
  });

  it('logs a listener that throws and notifies the others', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const uncaught = vi.fn();
    process.on('uncaughtException', uncaught);
    try {
      const agent = createAgent();
      const fault = new Error('the page is broken');
      const statuses: string[] = [];
      agent.subscribe(() => {
        throw fault;
      });
      agent.subscribe(({ status }) => statuses.push(status));
      await agent.start({ content: 'Hello' });
      expect(statuses).toContain('running');
      expect(logged).toHaveBeenCalledWith(expect.any(String), fault);
      await new Promise((resolve) => setTimeout(resolve));
      expect(uncaught).not.toHaveBeenCalled();
    } finally {
      process.off('uncaughtException', uncaught);
      logged.mockRestore();
    }
  });

  describe('a handler that the workflow does not define', () => {
    const warnings = () => vi.spyOn(console, 'warn').mockImplementation(() => {});

    it('warns once with its name and the defined tools', async () => {
      const warn = warnings();
      try {
        const clientTools = { lookup_custmer: () => ({}), lookup_customer: () => ({}), approve_action: () => ({}) };
        const agent = createAgent();
        await agent.start({ content: 'Hello', clientTools, clientCapabilities: ['no_such_form'] });
        await agent.continue({ content: 'And now?' });
        await createAgent().start({ content: 'Hello', clientTools, live: false });
        expect(warn.mock.calls).toEqual([
          [expect.stringMatching(/^Parley: lookup_custmer: .* its handler never runs/)],
        ]);
        const defined = /It defines: (.*)\. Add it to the workflow, or send its schema\.$/;
        const [, names = ''] = defined.exec(String(warn.mock.calls[0]?.[0])) ?? [];
        expect(names.split(', ')).toEqual(expect.arrayContaining(['lookup_customer', 'ask_user']));
      } finally {
        warn.mockRestore();
      }
    });

    it('is offered if it has a schema, unless the deployment accepts no tools of clients', async () => {
      const warn = warnings();
      const clientTools = { locate: { inputSchema: { type: 'object' }, handler: () => ({ city: 'Rome' }) } };
      try {
        const agent = createAgent();
        await agent.start({ content: '/call locate {}\n/say done', clientTools });
        expect(textsOf(await agent.settled()).at(-1)).toBe('done');
        expect(warn).not.toHaveBeenCalled();
        const { id } = await makeDeployment(service, {}, { kind: 'agent' });
        await service.service.services.stores.prisma.deployment.update({
          where: { id },
          data: { dynamicClientTools: false },
        });
        const closed = clientFor(service, { deploymentId: id }).createAgent();
        await closed.start({ content: 'Hello', clientTools });
        closed.close();
        expect(warn.mock.calls).toEqual([
          [expect.stringContaining('This deployment accepts no tools that clients define.')],
        ]);
        expect(warn.mock.calls[0]?.[0]).toContain('It defines: no client tool.');
      } finally {
        warn.mockRestore();
      }
    });
  });
});
