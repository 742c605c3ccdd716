import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lifecycleOf, lifecycleTypes } from '../support/lifecycle.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger } from '../support/triggers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;
const types = (id: string) => lifecycleTypes(service, id);

async function start(script = 'Hello') {
  const { body } = await service.agentTurn(script);
  return { id: body.conversation_id as string, runId: body.run_id as string };
}

const lastOf = async (id: string) => (await lifecycleOf(service, id)).at(-1);

describe('conversation.completed and trigger.used', () => {
  it('conversation.completed follows the run that completed the conversation', async () => {
    const { id, runId } = await start('/complete\n/say bye');
    expect(await types(id)).toEqual(['run.started', 'run.completed', 'conversation.completed']);
    expect(await lastOf(id)).toMatchObject({
      resource_id: id,
      payload: { conversation_id: id, deployment_id: DEMO_AGENT_ID, run_id: runId },
    });
  });

  it('trigger.used precedes the run that the trigger started, and a lost start writes nothing', async () => {
    const triggerId: string = (await createTrigger(service, {})).body.id;
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const use = () => service.send('POST', path, { body: { trigger_id: triggerId } });
    const responses = await Promise.all([use(), use(), use()]);
    const [won] = responses.filter(({ status }) => status === 200);
    const id: string = won?.body.conversation_id;
    const [used, started, completed, ...more] = await lifecycleOf(service, id);
    expect([started?.type, completed?.type, more]).toEqual(['run.started', 'run.completed', []]);
    expect(used).toMatchObject({ type: 'trigger.used', resource_id: triggerId });
    expect(used?.payload).toEqual({ trigger_id: triggerId, conversation_id: id, deployment_id: DEMO_CHAT_ID });
    expect(started?.payload).toMatchObject({ trigger_id: triggerId });
    expect(await db().event.count({ where: { type: 'trigger.used', resourceId: triggerId } })).toBe(1);
  });
});
