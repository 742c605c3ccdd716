import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enumNameOf } from '../../src/contract/enum-names.ts';
import { RESOURCE_TOOLS } from '../../src/contract/tool-names.ts';
import { publishScripted } from '../support/actions.ts';
import { graphText } from '../support/graph-content.ts';
import { startService, type TestService } from '../support/service.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let all: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  service = await startService();
  all = await publishScripted(service, workflowsOf(service), { resourceTools: RESOURCE_TOOLS.map(enumNameOf) });
});
afterAll(() => service.close());

async function make(type: string, fields: object, key = service.keys.live): Promise<string> {
  const { body } = await service.send('POST', '/v1/resources', { key, body: { type, fields } });
  return body.data.id;
}

async function eventsOf(id: string, key = service.keys.live) {
  const { body } = await service.send('GET', `/v1/events?resourceId=${id}`, { key });
  return body.data.map(({ type, payload }: { type: string; payload: object }) => ({ type, payload }));
}

/** Calls one tool in an environment. Returns the output that the model received. */
async function use(tool: string, input: object, key = service.keys.live) {
  const { outputs, items } = await all.call(`/call ${tool} ${JSON.stringify(input)}`, { key });
  return { output: outputs[0], item: items[0] };
}

const nested = (levels: number): object => (levels === 0 ? {} : { at: nested(levels - 1) });

describe('the resource tools', () => {
  it('create a resource, and the event log records it', async () => {
    const { output, item } = await use('create_resource', { type: 'ticket', fields: { title: 'Broken', open: true } });
    const { id } = output.content;
    expect(item).toMatchObject({ type: 'tool', name: 'create_resource', status: 'completed' });
    const { body } = await service.send('GET', `/v1/resources/${id}`);
    expect(body.data).toEqual(output.content);
    expect(await eventsOf(id)).toEqual([
      { type: 'resource.created', payload: { type: 'ticket', fields: { title: 'Broken', open: true } } },
    ]);
  });

  it('update only the sent fields', async () => {
    const id = await make('ticket', { title: 'Broken', open: true });
    const { output } = await use('update_resource', { id, fields: { open: false } });
    expect(output.content.fields).toEqual({ title: 'Broken', open: false });
    expect((await eventsOf(id))[0]).toEqual({
      type: 'resource.updated',
      payload: { before: { open: true }, after: { open: false } },
    });
  });

  it('find by type and field, continue by cursor, and read one resource', async () => {
    const ids: string[] = [];
    for (const number of [1, 2, 3]) ids.push(await make('invoice', { customer: 'c7', number }));
    await make('invoice', { customer: 'c8' });
    const field = { name: 'customer', value: 'c7' };
    const first = await use('find_resources', { type: 'invoice', field, limit: 2 });
    const cursor = first.output.content.next_cursor;
    const second = await use('find_resources', { type: 'invoice', field, limit: 2, cursor });
    const match = [first, second].flatMap(({ output }) => output.content.resources);
    expect(match.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(second.output.content.next_cursor).toBeNull();
    expect((await use('read_resource', { id: ids[0] })).output.content.fields).toEqual({ customer: 'c7', number: 1 });
  });

  it.each([
    ['read_resource', { id: 'res_nothing' }, 'There is no resource with this ID in this environment. Check id.'],
    ['create_resource', { type: 'Not A Type', fields: {} }, 'type must be 1 to 64 characters of a-z'],
    ['create_resource', { type: 'deep', fields: { at: nested(20) } }, 'must be nested at most 20 levels deep'],
    ['find_resources', { cursor: 'made up' }, 'cursor'],
    ['find_resources', { limit: 21 }, 'must be at most 20'],
    ['update_resource', { fields: {} }, 'must have the property id'],
  ])('report the fault to the model: %s %.40j', async (tool, input, message) => {
    const { output, item } = await use(tool, input);
    expect(output.error).toContain(message);
    expect(item?.status).toBe('failed');
  });

  it.each(RESOURCE_TOOLS)('%s is offered if only this tool is enabled', async (name) => {
    const { call } = await publishScripted(service, workflowsOf(service), { resourceTools: [enumNameOf(name)] });
    const { outputs } = await call('/call nothing');
    expect(outputs[0].error).toBe(`There is no tool nothing. Offered: ${name}.`);
  });

  it.each(RESOURCE_TOOLS)('%s is not offered if it is not enabled', async (name) => {
    const others = RESOURCE_TOOLS.filter((tool) => tool !== name).map(enumNameOf);
    const { call } = await publishScripted(service, workflowsOf(service), { resourceTools: others });
    const { outputs, items } = await call(`/call ${name} {"type":"never","fields":{}}`);
    expect(outputs[0].error).toContain(`There is no tool ${name}`);
    expect(items[0]?.status).toBe('failed');
  });

  it('read and change only the environment of the run', async () => {
    const { live, test } = service.keys;
    const id = await make('note', { where: 'live' }, live);
    for (const tool of ['read_resource', 'update_resource']) {
      const { output } = await use(
        tool,
        { id, ...(tool === 'update_resource' && { fields: { where: 'test' } }) },
        test,
      );
      expect(output.error).toContain('There is no resource with this ID in this environment.');
    }
    expect((await use('find_resources', { type: 'note' }, test)).output.content.resources).toEqual([]);
    const created = (await use('create_resource', { type: 'note', fields: {} }, test)).output.content.id;
    expect((await service.send('GET', `/v1/resources/${created}`, { key: live })).status).toBe(404);
    expect((await service.send('GET', `/v1/resources/${created}`, { key: test })).status).toBe(200);
    expect(await eventsOf(id)).toHaveLength(1);
    expect(await eventsOf(created, test)).toHaveLength(1);
  });

  it('run in v1 turns, one-shot runs and draft tests too', async () => {
    const script = '/call create_resource {"type":"made","fields":{}}';
    const content = [{ type: 'text', text: script }];
    const flows = workflowsOf(service);
    const { deploymentId, workflowId } = await publishedWorkflow(flows, { resourceTools: ['CREATE_RESOURCE'] });
    const chat = await service.send('POST', `/v1/runner/${deploymentId}/conversation`, { body: { content } });
    const oneShot = await service.send('POST', `/v1/runner/${deploymentId}`, { body: { content } });
    const draft = await flows.testDraft({ id: workflowId, input: { content: graphText(script) } });
    const replies = [chat.body.content, oneShot.body.content, draft.body.data.testDraft.run.content];
    for (const reply of replies) expect(JSON.parse(reply)[0].output.content.id).toMatch(/^res_/);
    const { body } = await service.send('GET', '/v1/resources?type=made');
    expect(body.data).toHaveLength(3);
  });

  it('take effect once with an idempotency key, whose response stays that of the turn', async () => {
    const content = [{ type: 'text', text: '/call create_resource {"type":"once","fields":{}}' }];
    const send = () =>
      service.send('POST', `/v2/runner/${all.deploymentId}/conversation`, {
        body: { content },
        headers: { 'idempotency-key': 'make-it-once' },
      });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(first.body).toMatchObject({ run_status: 'completed', conversation_id: expect.any(String) });
    const { body } = await service.send('GET', '/v1/resources?type=once');
    expect(body.data).toHaveLength(1);
    const record = await service.service.services.stores.prisma.idempotencyRecord.findFirstOrThrow({
      where: { key: 'make-it-once' },
    });
    expect(record.effect).toMatchObject({ conversationId: first.body.conversation_id });
  });
});

describe('server tools with other calls', () => {
  it('run in order before the run pauses for the client, and the model receives their results after it', async () => {
    const flows = workflowsOf(service);
    const clientTools = [{ name: 'confirm', availability: 'ALWAYS' }];
    const own = await publishScripted(service, flows, { resourceTools: RESOURCE_TOOLS.map(enumNameOf), clientTools });
    const make = '/call create_resource {"type":"step","fields":{"n":1}}';
    const { body } = await own.turn(`${make} && /call confirm && ${make.replace('1}}', '2}}')}`);
    expect(body.run_status).toBe('waiting_for_client_action');
    const before = await own.historyOf(body.conversation_id);
    expect(before.slice(1).map(({ type, name, status }) => [type, name, status])).toEqual([
      ['tool', 'create_resource', 'completed'],
      ['client_tool', 'confirm', 'pending'],
      ['tool', 'create_resource', 'completed'],
    ]);
    const [{ call_id }] = body.client_tool_calls;
    const resumed = await service.send('POST', `/v2/runner/${own.deploymentId}/conversation`, {
      body: { conversation_id: body.conversation_id, tool_results: [{ call_id, output: { ok: true } }] },
    });
    const numbers = JSON.parse(resumed.body.content).map(
      ({ output }: { output: { content?: { fields: { n: number } } } }) => output.content?.fields.n ?? null,
    );
    expect(numbers).toEqual([1, null, 2]);
  });

  it('count as the final server tool if they come after a request to complete the conversation', async () => {
    const allowed = { resourceTools: RESOURCE_TOOLS.map(enumNameOf), allowConversationCompletion: true };
    const own = await publishScripted(service, workflowsOf(service), allowed);
    const find = '/call find_resources {}';
    const completed = await own.turn(`${find} && /complete\n/say bye`);
    expect(completed.body.conversation_status).toBe('completed');
    const { body } = await own.turn(`/complete && ${find}\n/say bye`);
    expect(body.conversation_status).toBe('active');
    const items = await own.historyOf(body.conversation_id);
    expect(items.slice(1, 3).map(({ name, status }) => [name, status])).toEqual([
      ['complete_conversation', 'not_completed'],
      ['find_resources', 'completed'],
    ]);
  });
});
