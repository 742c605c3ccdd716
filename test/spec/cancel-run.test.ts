import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABLE, lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const CANCEL = `mutation ($id: UUID!) { cancelRun(conversationId: $id) {
  status run { runId status } pendingActions { callId } toolSummary { name status } } }`;

const cancel = (id: string) => service.graphql(CANCEL, { id });

async function paused(script = `${lookup('c1')}\n/say Done`) {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  return pauseTurn(service, id, script);
}

describe('cancelRun', () => {
  it('ends the run that waits, cancels its calls, and lets the conversation take its next turn', async () => {
    const waiting = await paused();
    const { conversationId: id, runId } = waiting;
    expect((await cancel(id)).body.data.cancelRun).toEqual({
      status: 'active',
      run: { runId, status: 'failed' },
      pendingActions: [],
      toolSummary: [{ name: 'lookup_customer', status: 'cancelled' }],
    });
    const history = await readHistory(service, id);
    expect(history.run_status).toBe('failed');
    expect(history.items.at(-1)).toMatchObject({ type: 'client_tool', status: 'cancelled', output: null });
    expectError(await resume(service, waiting, { name: 'Ann' }), 'unknown_call_id', {
      facts: { call_ids: [waiting.callId] },
    });
    expect((await service.agentTurn('More', { conversation_id: id })).body.content).toBe('You said: More');
  });

  it('has interrupted a run whose results had been accepted', async () => {
    const first = await paused(`${lookup('c1')}\n${lookup('c2')}\n/say Done`);
    expect((await resume(service, first, { name: 'Ann' })).body.run_status).toBe('waiting_for_client_action');
    const { body } = await cancel(first.conversationId);
    expect(body.data.cancelRun.run.status).toBe('interrupted');
    expect(body.data.cancelRun.toolSummary).toEqual([
      { name: 'lookup_customer', status: 'completed' },
      { name: 'lookup_customer', status: 'cancelled' },
    ]);
  });

  it('does nothing where nothing waits, however often it is asked', async () => {
    const { conversationId: id } = await paused();
    await cancel(id);
    const [again, once] = [await cancel(id), await service.agentTurn('Never waited')];
    expect(again.body.data.cancelRun.run.status).toBe('failed');
    const left = await cancel(once.body.conversation_id);
    expect(left.body.data.cancelRun.run.status).toBe('completed');
    const entries = await service.service.services.prisma.auditEntry.findMany({
      where: { action: 'run.cancelled', subjectId: { in: [id, once.body.conversation_id] } },
    });
    expect(entries).toHaveLength(1);
  });

  it('is refused while a turn is at work, which goes on', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const answer = service.agentTurn('/slow 2\n/say Done', { conversation_id: id });
    await until(async () => {
      const where = { conversationId: id, status: 'running' } as const;
      return (await service.service.services.prisma.run.findFirst({ where })) ?? undefined;
    });
    expect((await cancel(id)).body.errors[0].extensions.code).toBe('run_in_progress');
    expect((await answer).body.content).toBe('Done');
  });

  it('lets either the cancellation or the results win, where they race', async () => {
    for (let round = 0; round < 5; round += 1) {
      const waiting = await paused();
      const [cancelled, resumed] = await Promise.all([
        cancel(waiting.conversationId),
        resume(service, waiting, { name: 'Ann' }),
      ]);
      const { run_status: status } = await readHistory(service, waiting.conversationId);
      if (status === 'failed') expect(resumed.body.error.code).toBe('unknown_call_id');
      else {
        expect([status, resumed.body.content]).toEqual(['completed', 'Done']);
        // It came while the run was at work, or once it was over.
        if (cancelled.body.errors) expect(cancelled.body.errors[0].extensions.code).toBe('run_in_progress');
      }
    }
  });

  it('tells no other environment that the conversation is there', async () => {
    const { conversationId: id } = await paused();
    const foreign = await service.graphql(CANCEL, { id }, { key: service.keys.test });
    expectGraphqlError(foreign, 'not_found');
    const { body } = await service.agentTurn('/ask', { ...CAPABLE, conversation_id: id });
    expect(body.error.code).toBe('client_action_required');
  });
});
