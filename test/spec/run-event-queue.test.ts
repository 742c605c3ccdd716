import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { lifecycleOf, lifecycleTypes } from '../support/lifecycle.ts';
import { loseRun } from '../support/lose-run.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { until } from '../support/until.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

const db = () => provided.service.service.services.stores.prisma;
const ended = (id: string) =>
  until(async () => {
    const { status } = await db().run.findFirstOrThrow({ where: { id } });
    return status !== 'running' && status !== 'waiting_for_client_action';
  });
const types = (conversationId: string) => lifecycleTypes(provided.service, conversationId);

describe('the lifecycle events of a run that another process continues', () => {
  it('are one start and one end, also in the background and after a dead process', async () => {
    const deploymentId = await provided.agent();
    provided.provider.reply({ kind: 'hang' });
    const asked = provided.provider.nextRequest();
    const { body } = await provided.service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { content: textContent('Hello') },
      headers: { prefer: 'respond-async' },
    });
    await asked;
    expect(await types(body.conversation_id)).toEqual(['run.started']);
    provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    await loseRun(provided.service, body.run_id);
    await ended(body.run_id);
    expect(await types(body.conversation_id)).toEqual(['run.started', 'run.completed']);
  });

  it('name the calls that wait, and have one end if the calls expire', async () => {
    const deploymentId = await provided.agent({
      clientTools: [{ name: 'look_up', availability: 'always', expiresAfterSeconds: 3_600 }],
    });
    provided.provider.reply({ kind: 'answer', calls: [{ name: 'look_up', arguments: '{}' }] });
    const { body } = await provided.turn(deploymentId);
    const [{ call_id }] = body.client_tool_calls;
    const waiting = (await lifecycleOf(provided.service, body.conversation_id)).at(-1);
    expect(waiting?.payload).toMatchObject({ pending_calls: [{ call_id, name: 'look_up' }] });
    await db().timelineItem.updateMany({ where: { callId: call_id }, data: { expiresAt: new Date(0) } });
    await ended(body.run_id);
    expect(await types(body.conversation_id)).toEqual(['run.started', 'run.waiting', 'run.failed']);
    const last = (await lifecycleOf(provided.service, body.conversation_id)).at(-1);
    expect(last?.payload).toMatchObject({ error_code: 'action_expired' });
  });
});
